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
    arguments = _parse_arguments(argv)
    outcomes = CompileOutcomes(arguments.state)
    units: list[PortedUnit] = []
    for name in arguments.names or corpus_versions():
        kernels = load_kernels(name, arguments.folder, arguments.state)
        units += _try_package(name, kernels, outcomes, arguments)
        print(
            json.dumps(
                dict(
                    zip(
                        _list_columns(units),
                        _format_row(name, units, name),
                        strict=True,
                    )
                )
            ),
            flush=True,
        )
    if arguments.results:
        report.write_report(
            arguments.results,
            "How many CUDA units compile as HIP",
            _format_command(arguments),
            format_report(units),
        )
    return 0


def _format_command(arguments: argparse.Namespace) -> list[str]:
    sample_options = ("--sample", str(arguments.sample)) if arguments.sample else ()
    code_options = ("--code", str(arguments.code)) if arguments.code else ()
    seed_options = (
        ("--seed", str(arguments.seed)) if sample_options or code_options else ()
    )
    return [
        "python",
        "-m",
        "benchmarks",
        "port",
        *arguments.names,
        *sample_options,
        *code_options,
        *seed_options,
    ]


def _try_package(
    name: str,
    kernels: Sequence[Kernel],
    outcomes: CompileOutcomes,
    arguments: argparse.Namespace,
) -> list[PortedUnit]:
    units = list(select_cuda_units(kernels).values())
    sampled_numbers = set(
        draw_sample(range(len(units)), arguments.sample or len(units), arguments.seed)
    )
    built_numbers = set(
        draw_sample(sorted(sampled_numbers), arguments.code, arguments.seed)
    )
    return [
        _try_unit(
            name, unit, outcomes, arguments.targets, sampled=number in built_numbers
        )
        for number, unit in enumerate(units)
        if number in sampled_numbers
    ]


def draw_sample(numbers: Sequence[int], count: int, seed: int) -> list[int]:
    """Return so many of the numbers, drawn at random; the same for the same seed."""
    return random.Random(seed).sample(numbers, min(count, len(numbers)))


def _try_unit(
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
        code={
            **_build_in_earnest(hip, outcomes, targets),
            **_build_in_earnest(unit, outcomes, nvidia),
        }
        if compiles and sampled
        else {},
    )


def _build_in_earnest(
    unit: KernelUnit, outcomes: CompileOutcomes, targets: Sequence[str]
) -> dict[str, CompileOutcome]:
    """Return how builds in earnest end, by target and, beyond the first, by who builds."""
    outcomes_by_name = {}
    for validator in load_plugins("crawler.validate.compilers"):
        for target in validator.targets(unit.dialect):
            if target in targets:
                name = f"{target} {validator.name}"
                outcomes_by_name[name] = outcomes.build_unit(
                    unit, target, validator.name
                )
    return outcomes_by_name


def _list_columns(units: Sequence[PortedUnit]) -> list[str]:
    return [
        "package",
        "units",
        CUDA_TARGETS[0],
        f"only {CUDA_TARGETS[1]}",
        "compile as CUDA",
        "named by the report",
        "classified",
        "not classified",
        *_list_targets(units),
    ]


def _list_targets(units: Sequence[PortedUnit]) -> list[str]:
    return list(next((unit.hip for unit in units if unit.hip), ()))


def _format_row(
    title: str, units: Sequence[PortedUnit], package: str = ""
) -> list[object]:
    package_units = [unit for unit in units if not package or unit.package == package]
    compiling = [unit for unit in package_units if unit.compiles]
    plain = [unit for unit in compiling if not unit.is_unportable]
    return [
        title,
        len(package_units),
        *(
            sum(
                target in unit.cuda and unit.cuda[target].passed
                for unit in package_units
            )
            for target in CUDA_TARGETS
        ),
        len(compiling),
        sum(bool(unit.classes) for unit in compiling),
        _format_share(len(compiling) - len(plain), len(compiling)),
        len(plain),
        *(
            _format_share(sum(unit.hip[target].passed for unit in plain), len(plain))
            for target in _list_targets(units)
        ),
    ]


def format_report(ported_units: Sequence[PortedUnit]) -> list[str]:
    """Return the yields by package, the classes beside them, and every failure by its
    diagnostic.
    """
    packages = dict.fromkeys(unit.package for unit in ported_units)
    rows = [_format_row(name, ported_units, name) for name in packages] + [
        _format_row("**all**", ported_units)
    ]
    return [
        "Of the units that compile as CUDA (for sm_80 or sm_90): those in which the "
        "port's report names something "
        "unportable; classified, if their kernels reach that (code for a target, not "
        "optimised, has it, or they do "
        "not compile); and of the others those that compile for each AMD target, as far "
        "as errors of the language go.",
        "",
        *report.format_table(_list_columns(ported_units), rows),
        *_format_classes(ported_units),
        *_format_code(ported_units),
        *_format_failures(ported_units),
        *_format_reviewed(ported_units),
    ]


def _format_classes(units: Sequence[PortedUnit]) -> list[str]:
    compiling = [unit for unit in units if unit.compiles]
    classified = [unit for unit in compiling if unit.is_unportable]
    counted = Counter(kind for unit in classified for kind in unit.classes)
    alone = Counter(unit.classes[0] for unit in classified if len(unit.classes) == 1)
    unreached = Counter(
        kind
        for unit in compiling
        if unit.classes and not unit.is_unportable
        for kind in unit.classes
    )
    rows = [
        [
            kind,
            counted[kind],
            _format_share(counted[kind], len(compiling)),
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
    other_failures = [
        f"- {unit.package} `{unit.kernel}` ({', '.join(unit.classes)}): {target}: {outcome.message}"
        for unit in classified
        for target, outcome in unit.hip.items()
        if not outcome.passed and outcome.code != "assembly"
    ]
    return [
        *lines,
        "",
        "Classified, and ended by something else than assembly:",
        "",
        *(other_failures or ["none"]),
    ]


def _passes_all(unit: PortedUnit) -> bool:
    return all(outcome.passed for outcome in unit.hip.values())


def _format_code(units: Sequence[PortedUnit]) -> list[str]:
    sample = [unit for unit in units if unit.code and not unit.is_unportable]
    if not sample:
        return []
    rows = []
    for name in dict.fromkeys(name for unit in sample for name in unit.code):
        built_units = [unit for unit in sample if name in unit.code]
        passed = [unit for unit in built_units if unit.code[name].passed]
        rows.append(
            [
                name,
                len(built_units),
                _format_share(len(passed), len(built_units)),
                sum(unit.code[name].used for unit in passed),
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


def _format_failures(units: Sequence[PortedUnit]) -> list[str]:
    lines = ["", "## Failures of units that are not classified", ""]
    failures = list(_find_failures(units))
    if not failures:
        return [*lines, "None."]
    grouped: dict[str, list[tuple[str, str, str]]] = {}
    for unit, target, outcome in failures:
        grouped.setdefault(generalise_message(outcome.message), []).append(
            (unit.package, unit.kernel, f"{target}: {outcome.message}")
        )
    for kind, places in sorted(grouped.items(), key=lambda pair: -len(pair[1])):
        kernels = dict.fromkeys(
            f"{package} `{kernel}`" for package, kernel, _ in places
        )
        shown_kernels = ", ".join(list(kernels)[:6]) + (
            f" and {len(kernels) - 6} more" if len(kernels) > 6 else ""
        )
        lines.append(
            f"- {len(kernels)} units: {kind.replace('`', '')}; such as `{places[0][2]}`: "
            f"{shown_kernels}"
        )
    return lines


def _find_failures(
    units: Sequence[PortedUnit],
) -> Iterator[tuple[PortedUnit, str, CompileOutcome]]:
    for unit in units:
        if unit.compiles and not unit.is_unportable:
            for target, outcome in unit.hip.items():
                if not outcome.passed:
                    yield unit, target, outcome
            for target, outcome in unit.code.items():
                if (
                    not outcome.passed
                    and unit.hip.get(target.split()[0], _PASSED).passed
                ):
                    yield unit, target, outcome


def _format_reviewed(units: Sequence[PortedUnit]) -> list[str]:
    """Return those that a person read, drawn at random once, and what is said of each now."""
    classified = {
        (unit.package, unit.kernel): unit
        for unit in units
        if unit.compiles and unit.is_unportable
    }
    drawn_keys = random.Random(_SEED).sample(
        sorted(classified), min(_LISTED, len(classified))
    )
    with REVIEWED_UNITS.open(newline="") as opened:
        reviewed_rows = {
            (row["package"], row["kernel"]): row
            for row in csv.DictReader(opened, delimiter="\t")
        }
    rows = [
        [
            package,
            f"`{kernel}`",
            ", ".join(_get_classes(classified, package, kernel)),
            row["judgement"],
            row["why"],
        ]
        for (package, kernel), row in reviewed_rows.items()
        if package in {unit.package for unit in units}
    ]
    unread_lines = [
        f"- not read: {package} `{kernel}`"
        for package, kernel in drawn_keys
        if (package, kernel) not in reviewed_rows
    ]
    columns = ["package", "kernel", "classes now", "judgement when read", "why"]
    return [
        "",
        "## Classified units that were read",
        "",
        *report.format_table(columns, rows),
        "",
        *unread_lines,
    ]


def _get_classes(
    classified: dict[tuple[str, str], PortedUnit], package: str, kernel: str
) -> tuple[str, ...]:
    unit = classified.get((package, kernel))
    return unit.classes if unit else ("none",)


def _format_share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
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
