"""Rows of the index, made of values of the model."""

from __future__ import annotations

import json

from crawler.model import BufferRole, Case, CaseBuffer, CaseKind, PortReport, Suite
from storage.database.indexed_text import MAX_INDEXED_BYTES
from storage.index.kernel_rows import rows
from storage.tables import BUILD, KERNEL, PORT, REVISION, SUITE, UNIT
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit


def make_case(name: str, *, hidden: bool, content: str, gold: str) -> Case:
    buffer = CaseBuffer(
        name="a",
        element="float",
        element_size=4,
        size=8,
        role=BufferRole.OUT,
        content=content,
        gold=gold,
    )
    return Case(
        name=name,
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        buffers=(buffer, buffer),
        hidden=hidden,
    )


def test_every_row_names_columns_of_its_table() -> None:
    unit = make_unit("text", ported_from="0" * 64)
    kernel_row = rows.kernel_row(1, 2, REPO, make_kernel("k", unit=unit), "e", "d")
    assert set(kernel_row) <= set(KERNEL.columns.keys())
    assert set(rows.revision_row(REPO)) <= set(REVISION.columns.keys())
    assert set(rows.unit_row(unit, "e")) == set(UNIT.columns.keys())
    assert set(rows.port_row(unit, "e")) == set(PORT.columns.keys())
    build_row = rows.build_row(make_build(unit, "sm_80"), "e")
    assert set(build_row) | {"id"} == set(BUILD.columns.keys())


def test_a_kernel_without_a_unit_has_empty_digests() -> None:
    row = rows.kernel_row(1, 2, REPO, make_kernel("k"), "e", "d")
    assert (row["unit"], row["cluster"]) == ("", "")
    unit = make_unit("text")
    row = rows.kernel_row(1, 2, REPO, make_kernel("k", unit=unit), "e", "d")
    assert (row["unit"], row["cluster"]) == (unit.digest, unit.token_digest)


def test_names_that_are_too_long_for_an_index_are_shortened() -> None:
    kernel = make_kernel("k" * 5000)
    row = rows.kernel_row(1, 2, REPO, kernel, "e", "d")
    assert len(row["name"].encode()) <= MAX_INDEXED_BYTES
    assert row["qualified_name"] == kernel.qualified_name


def test_a_tag_stands_once() -> None:
    kernel = make_kernel("k", tags=("b", "a", "b"))
    assert [row["tag"] for row in rows.tag_rows(7, kernel)] == ["a", "b"]


def test_a_blocker_stands_once_for_each_code() -> None:
    report = PortReport(blockers=(("ptx", 1), ("ptx", 2)))
    port = make_unit("port", ported_from="0" * 64, port_report=report)
    (row,) = rows.blocker_rows(port)
    assert row == {"unit": "0" * 64, "ported": port.digest, "code": "ptx"}


def test_a_suite_counts_shown_cases_and_names_the_contents_of_all() -> None:
    cases = (
        make_case("shown", hidden=False, content="b" * 64, gold=""),
        make_case("hidden", hidden=True, content="b" * 64, gold="a" * 64),
    )
    row = rows.suite_row(Suite(unit="0" * 64, seed=3, cases=cases), "d" * 64)
    assert set(row) == set(SUITE.columns.keys())
    assert row["cases"] == 1
    assert json.loads(row["contents"]) == ["a" * 64, "b" * 64]
