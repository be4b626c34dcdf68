"""Port every CUDA unit of packages and count those that compile for AMD and those classified as
unportable.

python -m benchmarks port [NAME…] [--folder DIR] [--state DIR] [--sample N] [--seed S]
[--targets LIST] [--code N]
    [--results FILE]

A unit counts where it compiles as CUDA for sm_80 or sm_90. All, or N of each package drawn by a
seed, are compiled as
far as errors of the language go (every instantiation, no code); one in which the report names
something unportable is
made into code that is not optimised, so as to see whether its kernels reach that; with `--code
N` so many of a package,
drawn likewise, are built in earnest: by clang for AMD, and for NVIDIA by the validators that
are here. What `--state`
holds is not done again, so that an interrupted run goes on where it stood; units may lie there
as `python -m benchmarks
units` left them.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import report
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.porting.compile_outcomes import (
    CompileOutcome,
    CompileOutcomes,
    generalise_message,
    load_kernels,
    select_cuda_units,
)
from crawler.model import Kernel, KernelUnit
from crawler.plugins import load_plugins
from crawler.port.port import port_unit

ALONE = False
CUDA_TARGETS = ("sm_80", "sm_90")
AMD_TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
REVIEWED_UNITS = Path(__file__).parents[1] / "truth/unportable.tsv"
_LISTED = 30
_SEED = 5
_PASSED = CompileOutcome(passed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortedUnit:
    """A unit, what its port's report says and how it compiles."""

    package: str
    kernel: str
    classes: tuple[str, ...] = ()
    cuda: dict[str, CompileOutcome] = field(default_factory=dict)
    hip: dict[str, CompileOutcome] = field(default_factory=dict)
    """By target: of a unit with classes, whether what its kernels reach compiles; else as far
    as errors go.
    """
    code: dict[str, CompileOutcome] = field(default_factory=dict)
    """Built in earnest, of a sample: by target and validator."""

    @property
    def compiles(self) -> bool:
        return any(outcome.passed for outcome in self.cuda.values())

    @property
    def is_unportable(self) -> bool:
        """Whether its kernels reach what the report names, or fail to compile otherwise beside
        it.
        """
        return bool(self.classes) and not _passes_all(self)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    outcomes = CompileOutcomes(arguments.state)
    tried: list[PortedUnit] = []
    for name in arguments.names or corpus_versions():
        kernels = load_kernels(name, arguments.folder, arguments.state)
        tried += _package(name, kernels, outcomes, arguments)
        print(
            json.dumps(
                dict(zip(_columns(tried), _row(name, tried, name), strict=True))
            ),
            flush=True,
        )
    if arguments.results:
        report.write_report(
            arguments.results,
            "How many CUDA units compile as HIP",
            _given(arguments),
            format_report(tried),
        )
    return 0


def _given(arguments: argparse.Namespace) -> list[str]:
    drawn = ("--sample", str(arguments.sample)) if arguments.sample else ()
    built = ("--code", str(arguments.code)) if arguments.code else ()
    seed = ("--seed", str(arguments.seed)) if drawn or built else ()
    return [
        "python",
        "-m",
        "benchmarks",
        "port",
        *arguments.names,
        *drawn,
        *built,
        *seed,
    ]


def _package(
    name: str,
    kernels: Sequence[Kernel],
    outcomes: CompileOutcomes,
    arguments: argparse.Namespace,
) -> list[PortedUnit]:
    units = list(select_cuda_units(kernels).values())
    taken = set(
        draw_sample(range(len(units)), arguments.sample or len(units), arguments.seed)
    )
    built = set(draw_sample(sorted(taken), arguments.code, arguments.seed))
    return [
        _tried(name, unit, outcomes, arguments.targets, sampled=number in built)
        for number, unit in enumerate(units)
        if number in taken
    ]


def draw_sample(numbers: Sequence[int], count: int, seed: int) -> list[int]:
    """Return so many of the numbers, drawn at random; the same for the same seed."""
    return random.Random(seed).sample(numbers, min(count, len(numbers)))


def _tried(
    name: str,
    unit: KernelUnit,
    outcomes: CompileOutcomes,
    targets: Sequence[str],
    *,
    sampled: bool,
) -> PortedUnit:
    cuda: dict[str, CompileOutcome] = {}
    for target in CUDA_TARGETS:  # the newer only for what the older does not take
        if not any(outcome.passed for outcome in cuda.values()):
            cuda[target] = outcomes.parse_unit(unit, target)
    hip = port_unit(unit)
    assert hip.port_report is not None
    compiles = any(outcome.passed for outcome in cuda.values())
    ask = (
        outcomes.compile_reached_code
        if hip.port_report.blockers
        else outcomes.parse_unit
    )
    nvidia = [
        target for target in CUDA_TARGETS if target not in cuda or cuda[target].passed
    ]
    return PortedUnit(
        package=name,
        kernel=unit.kernel_name,
        classes=tuple(sorted({kind for kind, _ in hip.port_report.blockers})),
        cuda=cuda,
        hip={target: ask(hip, target) for target in targets} if compiles else {},
        code={**_built(hip, outcomes, targets), **_built(unit, outcomes, nvidia)}
        if compiles and sampled
        else {},
    )


def _built(
    unit: KernelUnit, outcomes: CompileOutcomes, targets: Sequence[str]
) -> dict[str, CompileOutcome]:
    """Return how builds in earnest end, by target and, beyond the first, by who builds."""
    found = {}
    for validator in load_plugins("crawler.validate.compilers"):
        for target in validator.targets(unit.dialect):
            if target in targets:
                name = f"{target} {validator.name}"
                found[name] = outcomes.build_unit(unit, target, validator.name)
    return found


def _columns(tried: Sequence[PortedUnit]) -> list[str]:
    return [
        "package",
        "units",
        CUDA_TARGETS[0],
        f"only {CUDA_TARGETS[1]}",
        "compile as CUDA",
        "named by the report",
        "classified",
        "not classified",
        *_targets(tried),
    ]


def _targets(tried: Sequence[PortedUnit]) -> list[str]:
    return list(next((one.hip for one in tried if one.hip), ()))


def _row(title: str, tried: Sequence[PortedUnit], package: str = "") -> list[object]:
    own = [one for one in tried if not package or one.package == package]
    compiling = [one for one in own if one.compiles]
    plain = [one for one in compiling if not one.is_unportable]
    return [
        title,
        len(own),
        *(
            sum(target in one.cuda and one.cuda[target].passed for one in own)
            for target in CUDA_TARGETS
        ),
        len(compiling),
        sum(bool(one.classes) for one in compiling),
        _share(len(compiling) - len(plain), len(compiling)),
        len(plain),
        *(
            _share(sum(one.hip[target].passed for one in plain), len(plain))
            for target in _targets(tried)
        ),
    ]


def format_report(ported_units: Sequence[PortedUnit]) -> list[str]:
    """Return the yields by package, the classes beside them, and every failure by its
    diagnostic.
    """
    packages = dict.fromkeys(one.package for one in ported_units)
    rows = [_row(name, ported_units, name) for name in packages] + [
        _row("**all**", ported_units)
    ]
    return [
        "Of the units that compile as CUDA (for sm_80 or sm_90): those in which the port's report names something "
        "unportable; classified, if their kernels reach that (code for a target, not optimised, has it, or they do "
        "not compile); and of the others those that compile for each AMD target, as far as errors of the language go.",
        "",
        *report.format_table(_columns(ported_units), rows),
        *_of_classes(ported_units),
        *_of_code(ported_units),
        *_of_failures(ported_units),
        *_of_reading(ported_units),
    ]


def _of_classes(tried: Sequence[PortedUnit]) -> list[str]:
    compiling = [one for one in tried if one.compiles]
    classified = [one for one in compiling if one.is_unportable]
    counted = Counter(kind for one in classified for kind in one.classes)
    alone = Counter(one.classes[0] for one in classified if len(one.classes) == 1)
    unreached = Counter(
        kind
        for one in compiling
        if one.classes and not one.is_unportable
        for kind in one.classes
    )
    rows = [
        [
            kind,
            counted[kind],
            _share(counted[kind], len(compiling)),
            alone[kind],
            unreached[kind],
        ]
        for kind in dict(counted.most_common()) | unreached
    ]
    columns = [
        "class",
        "units",
        "of those that compile as CUDA",
        "with no other class",
        "named in others, and not reached",
    ]
    lines = ["", "## Classified as unportable", "", *report.format_table(columns, rows)]
    others = [
        f"- {one.package} `{one.kernel}` ({', '.join(one.classes)}): {target}: {outcome.message}"
        for one in classified
        for target, outcome in one.hip.items()
        if not outcome.passed and outcome.code != "assembly"
    ]
    return [
        *lines,
        "",
        "Classified, and ended by something else than assembly:",
        "",
        *(others or ["none"]),
    ]


def _passes_all(one: PortedUnit) -> bool:
    return all(outcome.passed for outcome in one.hip.values())


def _of_code(tried: Sequence[PortedUnit]) -> list[str]:
    sample = [one for one in tried if one.code and not one.is_unportable]
    if not sample:
        return []
    rows = []
    for name in dict.fromkeys(name for one in sample for name in one.code):
        asked = [one for one in sample if name in one.code]
        passed = [one for one in asked if one.code[name].passed]
        rows.append(
            [
                name,
                len(asked),
                _share(len(passed), len(asked)),
                sum(one.code[name].used for one in passed),
            ]
        )
    columns = [
        "target, by",
        "units",
        "have an object with every entry",
        "with what each kernel uses",
    ]
    return [
        "",
        "## Built in earnest: a sample of each package",
        "",
        *report.format_table(columns, rows),
    ]


def _of_failures(tried: Sequence[PortedUnit]) -> list[str]:
    lines = ["", "## Failures of units that are not classified", ""]
    failures = list(_failures(tried))
    if not failures:
        return [*lines, "None."]
    grouped: dict[str, list[tuple[str, str, str]]] = {}
    for one, target, outcome in failures:
        grouped.setdefault(generalise_message(outcome.message), []).append(
            (one.package, one.kernel, f"{target}: {outcome.message}")
        )
    for kind, places in sorted(grouped.items(), key=lambda pair: -len(pair[1])):
        kernels = dict.fromkeys(
            f"{package} `{kernel}`" for package, kernel, _ in places
        )
        shown = ", ".join(list(kernels)[:6]) + (
            f" and {len(kernels) - 6} more" if len(kernels) > 6 else ""
        )
        lines.append(
            f"- {len(kernels)} units: {kind.replace('`', '')}; such as `{places[0][2]}`: {shown}"
        )
    return lines


def _failures(
    tried: Sequence[PortedUnit],
) -> Iterator[tuple[PortedUnit, str, CompileOutcome]]:
    for one in tried:
        if one.compiles and not one.is_unportable:
            for target, outcome in one.hip.items():
                if not outcome.passed:
                    yield one, target, outcome
            for target, outcome in one.code.items():
                if (
                    not outcome.passed
                    and one.hip.get(target.split()[0], _PASSED).passed
                ):
                    yield one, target, outcome


def _of_reading(tried: Sequence[PortedUnit]) -> list[str]:
    """Return those that a person read, drawn at random once, and what is said of each now."""
    classified = {
        (one.package, one.kernel): one
        for one in tried
        if one.compiles and one.is_unportable
    }
    drawn = random.Random(_SEED).sample(
        sorted(classified), min(_LISTED, len(classified))
    )
    with REVIEWED_UNITS.open(newline="") as opened:
        read = {
            (row["package"], row["kernel"]): row
            for row in csv.DictReader(opened, delimiter="\t")
        }
    rows = [
        [
            package,
            f"`{kernel}`",
            ", ".join(_classes(classified, package, kernel)),
            row["judgement"],
            row["why"],
        ]
        for (package, kernel), row in read.items()
        if package in {one.package for one in tried}
    ]
    unread = [
        f"- not read: {package} `{kernel}`"
        for package, kernel in drawn
        if (package, kernel) not in read
    ]
    columns = ["package", "kernel", "classes now", "judgement when read", "why"]
    return [
        "",
        "## Classified units that were read",
        "",
        *report.format_table(columns, rows),
        "",
        *unread,
    ]


def _classes(
    classified: dict[tuple[str, str], PortedUnit], package: str, kernel: str
) -> tuple[str, ...]:
    found = classified.get((package, kernel))
    return found.classes if found else ("none",)


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks port",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="packages of the corpus (default: all)"
    )
    parser.add_argument(
        "--folder", type=Path, help="where packages lie unpacked; else they are fetched"
    )
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("build/port"),
        help="what was extracted and compiled before",
    )
    parser.add_argument(
        "--targets",
        type=lambda text: text.split(","),
        default=list(AMD_TARGETS),
        metavar="LIST",
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="N",
        help="so many units of each package (else all)",
    )
    parser.add_argument(
        "--code",
        type=int,
        default=0,
        metavar="N",
        help="build so many of each in earnest, too",
    )
    parser.add_argument(
        "--seed", type=int, default=_SEED, help="what samples are drawn by"
    )
    parser.add_argument("--results", type=Path, help="write a report to this file, too")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
