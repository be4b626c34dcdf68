"""What the page of a kernel shows of its texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from crawler.dataset.rows.object_symbols import ObjectSymbols
from crawler.model import KernelRecord, Origin, Strength, Survivor
from workers.web.source_views.highlight import SourceText, highlight_source
from workers.web.source_views.side_by_side import (
    SHOWN_CHARACTERS,
    DiffLine,
    compare_texts,
)

_MAX_PORTS: Final = 3
"""That are held against their source: each takes its time."""
_SOURCE_BUDGET: Final = 6_000
_UNIT_BUDGET: Final = 9_000
_FURTHER_PORT_BUDGET: Final = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLine:
    """A line of a unit: where it stands in its project, and what no case looks at in it."""

    number: int
    html: Markup
    origin: str
    """`PATH:LINE` where a part begins; empty on the lines after it."""
    is_missed: bool
    """Whether it has a branch that no case takes."""
    survivors: tuple[Survivor, ...]
    """Changes of it that no case tells from the kernel."""
    coverage: str
    """`taken` where some case runs it, `untaken` where none does; else it has no code that ran."""
    begins_untaken: bool
    """Whether it is the first of lines that no case runs."""
    left_out: int
    """Lines right before it that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortView:
    """A port beside what it was made of."""

    digest: str
    dialect: str
    wave: str
    lines: tuple[DiffLine, ...]
    blockers: tuple[tuple[str, int], ...]
    warnings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelView:
    """The texts of a kernel, ready for a page."""

    source: SourceText
    """The definition as its file has it."""
    unit: tuple[UnitLine, ...]
    left_out_of_unit: int
    """Lines of the unit behind the last one that are not shown."""
    is_measured: bool
    """Whether branches and lines were counted."""
    strength: Strength
    """What the cases of its own unit tell."""
    ports: tuple[PortView, ...]
    labels: Mapping[str, str]
    """Symbol of an instantiation, as compilers name it, to its label."""


def make_kernel_view(record: KernelRecord) -> KernelView:
    """Return the texts of a record, ready for its page."""
    kernel = record.kernel
    unit = kernel.unit
    strength = find_strength(record)
    unit_text = highlight_source(
        unit.source if unit else "",
        budget=_UNIT_BUDGET,
        focus=find_kernel_line(record),
    )
    return KernelView(
        source=highlight_source(kernel.source, budget=_SOURCE_BUDGET),
        unit=mark_lines(unit_text, kernel.origins, strength) if unit else (),
        left_out_of_unit=unit_text.left_out_behind,
        is_measured=strength.branches >= 0,
        strength=strength,
        ports=tuple(
            PortView(
                digest=port.digest,
                dialect=port.dialect.value,
                wave=port.port_report.wave.value if port.port_report else "",
                lines=compare_texts(
                    unit.source if unit else "",
                    port.source,
                    port.port_report,
                    budget=_FURTHER_PORT_BUDGET if position else SHOWN_CHARACTERS,
                ),
                blockers=port.port_report.blockers if port.port_report else (),
                warnings=port.port_report.warnings if port.port_report else (),
            )
            for position, port in enumerate(record.ports[:_MAX_PORTS])
        ),
        labels=_label_symbols(record),
    )


def _label_symbols(record: KernelRecord) -> dict[str, str]:
    """Return which instantiation each symbol in the builds of a record is."""
    symbols = ObjectSymbols(record)
    labels: dict[str, str] = {}
    for unit in (record.kernel.unit, *record.ports):
        if unit is None:
            continue
        for build in record.builds:
            if build.unit != unit.digest:
                continue
            for position, instantiation in enumerate(unit.instantiations):
                symbol = symbols.find(unit, build, position)
                labels[symbol] = instantiation.label

    return labels


def find_kernel_line(record: KernelRecord) -> int:
    """Return the line of a unit where its kernel begins; 0 where nothing tells."""
    span = record.kernel.span
    for origin in record.kernel.origins:
        holds_it = origin.first_line <= span.line <= origin.last_line
        if origin.path == span.path and holds_it:
            return origin.line

    return 0


def find_strength(record: KernelRecord) -> Strength:
    """Return what the cases of a run of the kernel's own unit tell; nothing without one."""
    unit = record.kernel.unit
    for run in record.runs:
        # lines are those of the unit that was run, which may be a port
        if unit and run.unit == unit.digest and run.strength.branches >= 0:
            return run.strength
    return Strength()


def mark_lines(
    text: SourceText, origins: Sequence[Origin], strength: Strength
) -> tuple[UnitLine, ...]:
    """Return the lines of a unit with what its cases tell of each."""
    first_lines = [origin.line for origin in origins]
    taken, missed = set(strength.taken_lines), set(strength.missed_lines)
    survivors_by_line: dict[int, list[Survivor]] = {}
    for survivor in strength.survivors:
        survivors_by_line.setdefault(survivor.line, []).append(survivor)

    lines: list[UnitLine] = []
    for line in text.lines:
        number = line.number
        position = bisect_right(first_lines, number) - 1
        begins = position >= 0 and origins[position].line == number
        origin = origins[position] if begins else None
        lines.append(
            UnitLine(
                number=number,
                html=line.html,
                origin=f"{origin.path}:{origin.first_line}" if origin else "",
                is_missed=number in strength.unreached,
                survivors=tuple(survivors_by_line.get(number, ())),
                coverage=_name_coverage(number, taken, missed),
                begins_untaken=number in missed and number - 1 not in missed,
                left_out=line.left_out,
            )
        )

    return tuple(lines)


def _name_coverage(line: int, taken: Collection[int], missed: Collection[int]) -> str:
    if line in taken:
        return "taken"
    return "untaken" if line in missed else ""
