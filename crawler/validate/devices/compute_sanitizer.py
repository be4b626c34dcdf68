"""Run a unit's cases under NVIDIA's compute-sanitizer, where it is installed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.model import Status, Verdict
from crawler.sandbox import Mount
from crawler.validate.bundle.manifest import BundledUnit
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.unit_runs import (
    RESULTS_TARGET,
    ReadBlob,
    RunnerWrapper,
    RunOptions,
    run_units_in_sandbox,
)

SANITIZER_TOOLS: Final = {
    "memcheck": "sanitizer-memcheck",
    "racecheck": "sanitizer-racecheck",
}
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
class SanitizerResult:
    """What the sanitizer's tools made of a unit."""

    completed_tools: tuple[str, ...] = ()
    """The tools that ran to their end."""
    verdict: Verdict | None = None
    """What the first of them found; `None` where none found anything."""


def find_sanitizer() -> Path | None:
    """Return the sanitizer of this machine."""
    found = shutil.which(_NAME) or shutil.which(_NAME, path=_FOLDERS)
    return Path(found).resolve() if found else None


def run_sanitizer(
    gpu: Gpu, unit: BundledUnit, read_blob: ReadBlob, options: RunOptions
) -> SanitizerResult:
    """Run the cases of a unit under each tool, untimed; nothing on AMD's devices, and where
    there is no sanitizer.
    """
    program = find_sanitizer() if gpu.runtime == "cuda" else None
    looked: list[str] = []
    for tool, code in SANITIZER_TOOLS.items() if program else ():
        assert program is not None
        ended, found = _told(_log(gpu, unit, read_blob, options, program, tool))
        looked += [tool] if ended else []
        if found:
            verdict = Verdict(status=Status.FAIL, code=code, message=found)
            return SanitizerResult(completed_tools=tuple(looked), verdict=verdict)
    return SanitizerResult(completed_tools=tuple(looked))


def _log(
    gpu: Gpu,
    unit: BundledUnit,
    content_of: ReadBlob,
    wanted: RunOptions,
    program: Path,
    tool: str,
) -> str:
    words = (
        *(
            str(program),
            "--tool",
            tool,
            "--target-processes",
            "all",
            "--report-api-errors",
            "no",
        ),
        *("--log-file", f"{RESULTS_TARGET}/{_LOG}.%p"),
    )
    under = RunnerWrapper(command=words, mounts=tuple(_seen(program)))
    longer = replace(wanted, seconds=_SLOWER * wanted.seconds, timing=None)
    with run_units_in_sandbox(gpu, [unit], content_of, longer, under) as results:
        files = sorted(
            path
            for path in results.glob(f"{_LOG}.*")
            if path.is_file() and not path.is_symlink()
        )
        return "\n".join(
            path.read_bytes()[:_LOG_BYTES].decode("utf-8", "replace") for path in files
        )


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
    return True, ": ".join(
        filter(None, (first[1].strip(), where[1].strip() if where else ""))
    )
