"""NVIDIA's compute-sanitizer over the cases of a unit, where it is installed: what it finds fails the unit."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.model import Status, Verdict
from crawler.sandbox import Mount
from crawler.validate.bundle import BundledUnit
from crawler.validate.devices.gpu import Gpu
from crawler.validate.devices.runs import RESULTS, ContentOf, Under, Wanted, ran_units

TOOLS: Final = {"memcheck": "sanitizer-memcheck", "racecheck": "sanitizer-racecheck"}
"""With the code of what each finds."""
_NAME: Final = "compute-sanitizer"
_FOLDERS: Final = "/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer:/opt/cuda/bin"
_LOG: Final = "sanitizer"
_SLOWER: Final = 5.0
"""Times as long as without it."""
_LOG_BYTES: Final = 1 << 20
_SUMMARY: Final = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+)", re.MULTILINE)
_FOUND: Final = re.compile(
    r"^=+ ((?:Error: )?(?:Invalid|Misaligned|Race reported|Potential|Uninitialized|Illegal|Address|Stack|Out-of-range)"
    r".*)$",
    re.MULTILINE,
)
_WHERE: Final = re.compile(r"^=+\s+(by thread .*|at .*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitized:
    """What the sanitizer's tools made of a unit."""

    looked: tuple[str, ...] = ()
    """The tools that ran to their end."""
    verdict: Verdict | None = None
    """What the first of them found; `None` where none found anything."""


def sanitizer() -> Path | None:
    """Return the sanitizer of this machine."""
    found = shutil.which(_NAME) or shutil.which(_NAME, path=_FOLDERS)
    return Path(found).resolve() if found else None


def sanitized(gpu: Gpu, unit: BundledUnit, content_of: ContentOf, wanted: Wanted) -> Sanitized:
    """Run the cases of a unit under each tool, untimed; nothing on AMD's devices, and where there is no sanitizer."""
    program = sanitizer() if gpu.runtime == "cuda" else None
    looked: list[str] = []
    for tool, code in TOOLS.items() if program else ():
        assert program is not None
        ended, found = _told(_log(gpu, unit, content_of, wanted, program, tool))
        looked += [tool] if ended else []
        if found:
            verdict = Verdict(status=Status.FAIL, code=code, message=found)
            return Sanitized(looked=tuple(looked), verdict=verdict)
    return Sanitized(looked=tuple(looked))


def _log(gpu: Gpu, unit: BundledUnit, content_of: ContentOf, wanted: Wanted, program: Path, tool: str) -> str:
    words = (
        *(str(program), "--tool", tool, "--target-processes", "all", "--report-api-errors", "no"),
        *("--log-file", f"{RESULTS}/{_LOG}.%p"),
    )
    under = Under(words=words, mounts=tuple(_seen(program)))
    longer = replace(wanted, seconds=_SLOWER * wanted.seconds, timing=None)
    with ran_units(gpu, [unit], content_of, longer, under) as results:
        files = sorted(path for path in results.glob(f"{_LOG}.*") if path.is_file() and not path.is_symlink())
        return "\n".join(path.read_bytes()[:_LOG_BYTES].decode("utf-8", "replace") for path in files)


def _seen(program: Path) -> Iterator[Mount]:
    # its libraries lie beside it
    if not program.is_relative_to("/usr"):
        yield Mount(source=program.parent, target=str(program.parent))


def _told(log: str) -> tuple[bool, str]:
    """Return whether a tool came to its end, and the first thing that it found."""
    counts = [int(count) for count in _SUMMARY.findall(log)]
    first = _FOUND.search(log)
    if not any(counts) or first is None:
        return bool(counts), "it does not say what" if any(counts) else ""
    where = _WHERE.search(log, first.end())
    return True, ": ".join(filter(None, (first[1].strip(), where[1].strip() if where else "")))
