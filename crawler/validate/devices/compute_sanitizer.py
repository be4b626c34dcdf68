"""Run a unit's cases under NVIDIA's compute-sanitizer, where it is installed."""

from __future__ import annotations

import re
import shutil
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
"""Tools of the sanitizer, with the code of what each finds."""
_PROGRAM: Final = "compute-sanitizer"
_PROGRAM_FOLDERS: Final = (
    "/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer:/opt/cuda/bin"
)
_LOG_PREFIX: Final = "sanitizer"
_SLOWDOWN: Final = 5.0
"""Times as long as a unit takes without it."""
_MAX_LOG_BYTES: Final = 1 << 20
# E.g. `========= ERROR SUMMARY: 3 errors`.
_SUMMARY: Final = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+)", re.MULTILINE)
_FINDING: Final = re.compile(
    r"^=+ ((?:Error: )?(?:Invalid|Misaligned|Race reported|Potential|Uninitialized"
    r"|Illegal|Address|Stack|Out-of-range).*)$",
    re.MULTILINE,
)
_LOCATION: Final = re.compile(r"^=+\s+(by thread .*|at .*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizerResult:
    """What the sanitizer's tools found in a unit."""

    completed_tools: tuple[str, ...] = ()
    """The tools that ran to their end."""
    verdict: Verdict | None = None
    """What the first of them found; `None` where none found anything."""


def find_sanitizer() -> Path | None:
    """Return the sanitizer of this machine."""
    program = shutil.which(_PROGRAM)
    if program is None:
        program = shutil.which(_PROGRAM, path=_PROGRAM_FOLDERS)

    return Path(program).resolve() if program else None


def run_sanitizer(
    gpu: Gpu, unit: BundledUnit, read_blob: ReadBlob, options: RunOptions
) -> SanitizerResult:
    """Run the cases of a unit under each tool, untimed.

    Nothing is run on AMD's devices, and where there is no sanitizer.
    """
    if gpu.runtime != "cuda":
        return SanitizerResult()

    program = find_sanitizer()
    if program is None:
        return SanitizerResult()

    completed_tools: list[str] = []
    for tool, code in SANITIZER_TOOLS.items():
        log = _run_tool(gpu, unit, read_blob, options, program, tool)
        has_completed, finding = _parse_log(log)
        if has_completed:
            completed_tools.append(tool)
        if finding:
            return SanitizerResult(
                completed_tools=tuple(completed_tools),
                verdict=Verdict(
                    status=Status.FAIL,
                    code=code,
                    message=finding,
                ),
            )

    return SanitizerResult(completed_tools=tuple(completed_tools))


def _run_tool(
    gpu: Gpu,
    unit: BundledUnit,
    read_blob: ReadBlob,
    options: RunOptions,
    program: Path,
    tool: str,
) -> str:
    """Run a unit under one tool, and return the logs of all processes."""
    command = (
        str(program),
        "--tool",
        tool,
        "--target-processes",
        "all",
        "--report-api-errors",
        "no",
        "--log-file",
        f"{RESULTS_TARGET}/{_LOG_PREFIX}.%p",
    )

    wrapper = RunnerWrapper(
        command=command,
        mounts=_program_mounts(program),
    )
    # Timing under a sanitizer means nothing.
    tool_options = replace(
        options,
        seconds=_SLOWDOWN * options.seconds,
        timing=None,
    )

    with run_units_in_sandbox(gpu, [unit], read_blob, tool_options, wrapper) as results:
        logs: list[str] = []
        for file in sorted(results.glob(f"{_LOG_PREFIX}.*")):
            # What ran in the sandbox may have put a link there.
            if file.is_symlink() or not file.is_file():
                continue

            content = file.read_bytes()[:_MAX_LOG_BYTES]
            logs.append(content.decode("utf-8", "replace"))

        return "\n".join(logs)


def _program_mounts(program: Path) -> tuple[Mount, ...]:
    """Return the folder of the program, whose libraries lie beside it, unless it is seen."""
    if program.is_relative_to("/usr"):
        return ()

    return (
        Mount(
            source=program.parent,
            target=str(program.parent),
        ),
    )


def _parse_log(log: str) -> tuple[bool, str]:
    """Return whether a tool came to its end, and the first thing that it found."""
    counts = [int(count) for count in _SUMMARY.findall(log)]
    # A tool that cannot work here, e.g. under a new driver, writes no summary.
    has_completed = bool(counts)
    if not any(counts):
        return has_completed, ""

    finding = _FINDING.search(log)
    if finding is None:
        return has_completed, "it does not say what"

    location = _LOCATION.search(log, finding.end())
    parts = [finding[1].strip()]
    if location:
        parts.append(location[1].strip())

    return True, ": ".join(part for part in parts if part)
