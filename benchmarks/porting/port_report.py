"""Format the report of the `port` benchmark.

A unit counts where it compiles as CUDA; its classes are what the report of its
port names as unportable.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import report
from benchmarks.porting.compile_outcomes import CompileOutcome, generalise_message

CUDA_TARGETS = ("sm_80", "sm_90")
REVIEWED_UNITS = Path(__file__).parents[1] / "truth/unportable.tsv"
REVIEW_SEED = 5
_LISTED = 30
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


def list_columns(units: Sequence[PortedUnit]) -> list[str]:
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


def format_row(
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
    rows = [format_row(name, ported_units, name) for name in packages] + [
        format_row("**all**", ported_units)
    ]
    return [
        "Of the units that compile as CUDA (for sm_80 or sm_90): those in which the "
        "port's report names something "
        "unportable; classified, if their kernels reach that (code for a target, not "
        "optimised, has it, or they do "
        "not compile); and of the others those that compile for each AMD target, as far "
        "as errors of the language go.",
        "",
        *report.format_table(list_columns(ported_units), rows),
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
    drawn_keys = random.Random(REVIEW_SEED).sample(
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
