"""View `pairs`: a CUDA unit and the HIP unit of the same kernel.

What the kernel's author wrote for HIP is preferred to what Kernelset's rules make of the CUDA unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.dataset.rows.unit_row import Mark
from crawler.dataset.rows.unit_statuses import (
    Execution,
    list_build_statuses,
    list_executions,
)
from crawler.model import Dialect, KernelRecord, KernelUnit, PortReport, Status
from crawler.similarity.signature import estimate_similarity, sign_definitions

_SCHEMA_NAME: Final = "kernelset.pairs/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSide:
    """One side of a pair, with what is known of itself: nothing is taken from the other side."""

    digest: str
    """sha256 of the whole source, in hexadecimal: the unit's address."""
    kernel_name: str
    """Qualified name of the kernel in this source."""
    source: str
    """The whole unit, at every depth; it includes headers of Kernelset."""
    standard: str
    """What to compile it with: `c++17`."""
    instantiations: tuple[str, ...]
    """Labels of what it instantiates explicitly, in its order; none for a plain kernel."""
    pass_call: dict[str, str]
    """Target to the best status of its builds; empty where nobody built it."""
    executions: tuple[Execution, ...]
    """What was run of it, instantiation by instantiation; empty where nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """The same kernel in CUDA and in HIP."""

    schema: str
    """Name and version of this form: `kernelset.pairs/1`."""
    place: PlaceRow
    """Where the CUDA kernel stands."""
    cuda: PairSide
    """What was cut out of the project."""
    hip: PairSide
    """What the same is in HIP."""
    ported_by: str
    """Whose HIP it is: `author`, who has it in the same commit; or `rules`, Kernelset's own over
    tokens, with no model in it.
    """
    hip_place: PlaceRow | None
    """Where the author's HIP kernel stands, and under which licence; `null` for `rules`."""
    rules_port: PairSide | None
    """What the rules make of the CUDA unit, beside what the author wrote; `null` where that is
    `hip` itself, and where the rules have no port.
    """
    likeness: float | None
    """How alike the two are, 0 to 1: the estimated Jaccard similarity of their units' runs of five
    tokens; `null` where `rules_port` is.
    """
    changes: int
    """Places that the rules rewrote; of `rules_port` where the author's own is there, as in the
    fields below.
    """
    rules: tuple[str, ...]
    """Names of the rules that did, each once, sorted."""
    warnings: tuple[Mark, ...]
    """What the port keeps and may mean something else on an AMD GPU."""
    wave: str
    """On which widths of a wave the port means the same: `any`, no lane sees another;
    `logical-32`, kept to 32 lanes on a wave of 64; `native`, what `warpSize` says; `wave32`, on
    32 lanes only as far as anyone knows.
    """


class Pairs:
    """One row for each CUDA kernel that has HIP of its author's, and for each port by rules that
    nothing speaks against.
    """

    name = "pairs"
    summary = "a CUDA unit and its HIP port, with the statuses of both"
    order = 40
    row_type = PairRow
    schema_name = _SCHEMA_NAME

    def make_rows(self, record: KernelRecord, context: RowContext) -> Iterator[PairRow]:
        """Yield a row for the author's port if it has a unit, else for each port by rules without
        blockers; none for what every compiler refused: that is in the view `rejected`.
        """
        unit = record.kernel.unit
        if unit is None or unit.dialect is not Dialect.CUDA:
            return

        ports = list(_list_good_ports(record))
        author_port = _find_author_port(record, context)
        if author_port is not None:
            yield _make_author_row(record, unit, author_port, ports)
            return

        for port, side in ports:
            yield _make_row(record, unit, side, port.port_report)


def _list_good_ports(record: KernelRecord) -> Iterator[tuple[KernelUnit, PairSide]]:
    for port in record.ports:
        report = port.port_report or PortReport()
        if port.dialect is not Dialect.HIP or report.blockers:
            continue

        side = _describe_side(record, port)
        if not _is_refused(side):
            yield port, side


def _is_refused(side: PairSide) -> bool:
    return set(side.pass_call.values()) == {Status.FAIL.value}


def _find_author_port(
    record: KernelRecord, context: RowContext
) -> tuple[KernelRecord, PairSide] | None:
    span = record.kernel.author_port
    if span is None:
        return None

    hip_record = context.find_record(record.provenance.repo, span)
    if hip_record is None or hip_record.kernel.unit is None:
        return None

    side = _describe_side(hip_record, hip_record.kernel.unit)
    return None if _is_refused(side) else (hip_record, side)


def _make_author_row(
    record: KernelRecord,
    unit: KernelUnit,
    author_port: tuple[KernelRecord, PairSide],
    ports: Sequence[tuple[KernelUnit, PairSide]],
) -> PairRow:
    """Return the row of an author's port, with the first of those by rules beside it."""
    hip_record, hip_side = author_port
    port, rules_side = ports[0] if ports else (None, None)
    row = _make_row(record, unit, hip_side, port.port_report if port else None)
    return replace(
        row,
        ported_by="author",
        hip_place=to_place_row(hip_record),
        rules_port=rules_side,
        likeness=_compare(hip_side, rules_side) if rules_side else None,
    )


def _make_row(
    record: KernelRecord,
    unit: KernelUnit,
    hip_side: PairSide,
    port_report: PortReport | None,
) -> PairRow:
    report = port_report or PortReport()
    return PairRow(
        schema=_SCHEMA_NAME,
        place=to_place_row(record),
        cuda=_describe_side(record, unit),
        hip=hip_side,
        ported_by="rules",
        hip_place=None,
        rules_port=None,
        likeness=None,
        changes=len(report.changes),
        rules=tuple(sorted({change.rule for change in report.changes})),
        warnings=tuple(Mark(code=code, line=line) for code, line in report.warnings),
        wave=report.wave.value,
    )


def _compare(one_side: PairSide, other_side: PairSide) -> float:
    sources = [("", one_side.source), ("", other_side.source)]
    signature, other = sign_definitions(sources)
    return round(estimate_similarity(signature.minhash, other.minhash), 3)


def _describe_side(record: KernelRecord, unit: KernelUnit) -> PairSide:
    return PairSide(
        digest=unit.digest,
        kernel_name=unit.kernel_name,
        source=unit.source,
        standard=unit.standard,
        instantiations=tuple(
            instantiation.label
            for instantiation in unit.instantiations
            if instantiation.label
        ),
        pass_call=list_build_statuses(record, unit.digest),
        executions=list_executions(record, unit.digest),
    )


PLUGIN: Final[View] = Pairs()
