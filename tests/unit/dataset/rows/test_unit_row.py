"""A unit is published with its source or without, and with what its port's report says."""

from __future__ import annotations

from crawler.dataset.rows.unit_row import Mark, to_unit_row
from crawler.model import Change, PortReport, Wave
from tests.unit.storage.samples import make_unit


def test_a_unit_without_its_source_keeps_its_digest() -> None:
    unit = make_unit("__global__ void k() {}")
    assert to_unit_row(unit, with_source=True).source == unit.source
    bare = to_unit_row(unit, with_source=False)
    assert (bare.source, bare.digest) == ("", unit.digest)


def test_a_unit_that_is_no_port_has_no_wave_and_no_marks() -> None:
    row = to_unit_row(make_unit("text"), with_source=True)
    assert (row.ported_from, row.wave, row.changes) == ("", "", 0)
    assert (row.blockers, row.warnings) == ((), ())


def test_a_port_tells_its_changes_blockers_and_warnings_by_line() -> None:
    change = Change(rule="intrinsics", line=4, before="__ldg(p)", after="*(p)")
    report = PortReport(
        changes=(change, change),
        blockers=(("ptx", 3), ("mma", 9)),
        warnings=(("lane-mask", 5),),
        wave=Wave.LOGICAL,
    )
    unit = make_unit("text", ported_from="a" * 64, port_report=report)
    row = to_unit_row(unit, with_source=True)
    assert (row.ported_from, row.changes, row.wave) == ("a" * 64, 2, "logical-32")
    assert row.blockers == (Mark(code="ptx", line=3), Mark(code="mma", line=9))
    assert row.warnings == (Mark(code="lane-mask", line=5),)
