"""Run programs of a collection on the CPU model, drawn by a seed, and say what came of each.

python -m benchmarks programs TREE [--count N] [--seed S] [--records FILE] [--first-run]

TREE is a checkout whose folders hold programs that launch kernels. A draw is reported as it comes,
whether or not anything was mended since the last one. With `--first-run` each is built and run
once, which says whether launches are seen, in a fifth of the time; faults need the other runs.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from crawler.builds.database.compile_database import build_compile_database
from crawler.validate.programs.author_launches import (
    ProgramReport,
    build_program,
    observe_program,
)
from crawler.validate.programs.meant_runs import (
    BuiltProgram,
    find_obstacle,
    run_meant,
)
from crawler.validate.programs.program_arguments import (
    find_run_folder,
    list_argument_sets,
)
from crawler.validate.programs.program_sources import ProgramSources, list_programs
from crawler.validate.programs.runs.own_check import read_own_check

ALONE = False
_DEVICE_WORDS: Final = ("__global__", "<<<", "hipLaunchKernel")
_UNBUILT: Final = ("host-compile-error", "undefined-symbol", "host-compile-timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOutcome:
    """What came of one program."""

    program: str
    code: str
    """Why its launches were not seen; else empty."""
    message: str
    exit_code: int
    kernels: int
    """Kernels whose launches were seen."""
    faults: tuple[str, ...]
    """Code and message of each kernel that goes wrong."""
    own_check: str
    """What it says of its own results: `pass`, `fail`, or nothing."""
    checked: int
    """Kernels whose results its own check looks at, and accepts."""
    seconds: float
    """By the clock, for building and all runs."""

    @property
    def label(self) -> str:
        """In a few words."""
        if self.code:
            return f"not built: {self.code}" if self.code in _UNBUILT else self.code
        if self.faults:
            return "a kernel at fault"
        return f"no fault, its own check: {self.own_check or 'none'}"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    programs = draw_programs(arguments.tree, arguments.count, arguments.seed)
    outcomes: list[ProgramOutcome] = []

    for number, program in enumerate(programs, 1):
        attempt = try_first_run if arguments.first_run else try_program
        outcome = attempt(arguments.tree, program)
        outcomes.append(outcome)
        line = f"{number}/{len(programs)} {outcome.program}: {outcome.label}"
        print(line, file=sys.stderr)
        if arguments.records:
            with arguments.records.open("a") as records:
                records.write(json.dumps(asdict(outcome)) + "\n")

    lines = list(_format_report(outcomes, arguments))
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "Programs on the CPU model",
            ["python", "-m", "benchmarks", "programs"],
            lines,
        )
    return 0


def draw_programs(tree: Path, count: int, seed: int) -> list[ProgramSources]:
    """Return `count` programs of a tree, by a seed; all where there are fewer."""
    commands = build_compile_database(tree).commands
    programs = [
        program
        for program in list_programs(tree, commands)
        if _has_device_code(tree, program)
    ]
    # which programs to look at is no secret
    generator = random.Random(seed)
    return generator.sample(programs, min(count, len(programs)))


def _has_device_code(tree: Path, program: ProgramSources) -> bool:
    sources = (program.main, *program.neighbours)
    texts = ((tree / source.file).read_text(errors="replace") for source in sources)
    return any(word in text for text in texts for word in _DEVICE_WORDS)


def try_first_run(tree: Path, program: ProgramSources) -> ProgramOutcome:
    """Build a program and run it once."""
    start = time.monotonic()
    built = build_program(tree, program)
    code, message, exit_code, kernels, own_check = built.code, built.message, 0, 0, ""
    if not code:
        file = program.main.file
        directory = find_run_folder(tree, file)
        meant = run_meant(
            BuiltProgram(root=tree, directory=directory, program=built),
            list_argument_sets(tree, directory, file),
        )
        log = meant.run.log
        code = find_obstacle(meant.run)
        message = ", ".join(log.refused_calls or log.missing_files) if code else ""
        exit_code = meant.run.exit_code
        kernels = 0 if code else len({launch.kernel for launch in log.launches} - {-1})
        own_check = read_own_check(meant.run.output)

    return ProgramOutcome(
        program=program.main.file,
        code=code,
        message=message,
        exit_code=exit_code,
        kernels=kernels,
        faults=(),
        own_check=own_check,
        checked=0,
        seconds=round(time.monotonic() - start, 1),
    )


def try_program(tree: Path, program: ProgramSources) -> ProgramOutcome:
    """Build and run a program, and say what came of it."""
    start = time.monotonic()
    observed = observe_program(tree, program)
    return ProgramOutcome(
        program=program.main.file,
        code=observed.code,
        message=observed.message,
        exit_code=observed.exit_code,
        kernels=len(observed.kernels),
        faults=tuple(_list_faults(observed)),
        own_check=read_own_check(observed.output),
        checked=sum(kernel.is_checked for kernel in observed.kernels),
        seconds=round(time.monotonic() - start, 1),
    )


def _list_faults(observed: ProgramReport) -> Iterator[str]:
    for kernel in observed.kernels:
        if kernel.fault is not None:
            yield f"{kernel.fault.code}: {kernel.fault.message}"


def _format_report(
    outcomes: Sequence[ProgramOutcome], arguments: argparse.Namespace
) -> Iterator[str]:
    built = sum(outcome.code not in _UNBUILT for outcome in outcomes)
    seen_count = sum(outcome.kernels > 0 for outcome in outcomes)
    kernels = sum(outcome.kernels for outcome in outcomes)
    checked = sum(outcome.checked for outcome in outcomes)
    seconds = sorted(outcome.seconds for outcome in outcomes)
    yield (
        f"{len(outcomes)} programs drawn by seed {arguments.seed} from {arguments.tree.name}:"
        f" {built} build, of {seen_count} launches were seen, and {checked} of {kernels}"
        f" kernels are checked by their program; {seconds[len(seconds) // 2]} s at the"
        f" median, {sum(seconds):.0f} s in all."
    )
    yield ""
    yield "| outcome | programs |"
    yield "|---|---:|"
    for label, count in Counter(outcome.label for outcome in outcomes).most_common():
        yield f"| {label} | {count} |"

    yield ""
    yield "| program | what came of it |"
    yield "|---|---|"
    for outcome in outcomes:
        details = "; ".join(outcome.faults) or outcome.message
        text = f"{outcome.label} {details}".strip().replace("|", "\\|")
        yield f"| {outcome.program} | {text} |"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("programs", __doc__)
    parser.add_argument("tree", type=Path, help="checkout of a collection of programs")
    parser.add_argument("--count", type=int, default=60, help="programs to draw")
    parser.add_argument("--seed", type=int, default=24, help="of the draw")
    parser.add_argument(
        "--first-run", action="store_true", help="build each and run it once"
    )
    parser.add_argument("--records", type=Path, help="append one JSON object a program")
    add_results(parser)
    return parser.parse_args(argv)
