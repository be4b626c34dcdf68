"""What a kernel's author wrote for HIP is the target of its pair, with Kernelset's own beside it."""

from __future__ import annotations

from dataclasses import replace

from crawler.dataset.interface import RowContext
from crawler.dataset.views.pairs import PLUGIN, PairRow
from crawler.model import (
    Dialect,
    KernelRecord,
    PortReport,
    Provenance,
    Repo,
    Span,
    Status,
)
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit

CUDA = make_unit("__global__ void k(float* x) { x[0] = 1; }", instantiations=())
RULES = make_unit(
    "#include <hip/hip_runtime.h>\n" + CUDA.source,
    dialect=Dialect.HIP,
    port_report=PortReport(),
)
AUTHOR = make_unit("__global__ void k(float* x) { x[0] = 1.0f; }", dialect=Dialect.HIP)
HERE = make_kernel("k").span
THERE = replace(HERE, path="hip/a.hip")


def make_record(span: Span, **changes: object) -> KernelRecord:
    kernel = replace(make_kernel("k", 0, **changes), span=span)
    provenance = Provenance(
        repo=REPO, span=span, snapshot="", flags_origin=kernel.flags_origin
    )
    return KernelRecord(kernel=kernel, provenance=provenance)


RECORD = replace(make_record(HERE, unit=CUDA, author_port=THERE), ports=(RULES,))
HIP_RECORD = make_record(THERE, unit=AUTHOR, dialect=Dialect.HIP)


def make_rows(
    record: KernelRecord = RECORD, hip_record: KernelRecord | None = HIP_RECORD
) -> list[PairRow]:
    def find_record(repo: Repo, span: Span) -> KernelRecord | None:
        assert (repo, span) == (REPO, THERE)
        return hip_record

    return list(PLUGIN.make_rows(record, RowContext(find_record=find_record)))


def test_the_authors_port_is_preferred() -> None:
    (row,) = make_rows()
    assert row.ported_by == "author"
    assert (row.cuda.digest, row.hip.digest) == (CUDA.digest, AUTHOR.digest)
    assert row.hip_place
    assert row.hip_place.path == "hip/a.hip"
    assert row.rules_port
    assert row.rules_port.digest == RULES.digest
    assert row.likeness
    assert 0 < row.likeness < 1


def test_an_authors_port_needs_none_by_rules() -> None:
    (row,) = make_rows(replace(RECORD, ports=()))
    assert (row.ported_by, row.rules_port, row.likeness) == ("author", None, None)


def test_without_an_authors_port_that_can_be_had_rules_make_it() -> None:
    refused = make_build(AUTHOR, "gfx90a", status=Status.FAIL)
    without_unit = replace(HIP_RECORD, kernel=replace(HIP_RECORD.kernel, unit=None))
    for hip_record in (None, without_unit, replace(HIP_RECORD, builds=(refused,))):
        (row,) = make_rows(hip_record=hip_record)
        assert (row.ported_by, row.hip_place) == ("rules", None)
        assert row.hip.digest == RULES.digest


def test_one_compiler_that_takes_an_authors_port_is_enough() -> None:
    builds = (
        make_build(AUTHOR, "gfx90a", status=Status.FAIL),
        make_build(AUTHOR, "gfx1100"),
    )
    (row,) = make_rows(hip_record=replace(HIP_RECORD, builds=builds))
    assert row.ported_by == "author"
    assert row.hip.pass_call == {"gfx1100": "pass", "gfx90a": "fail"}


def test_nothing_is_looked_for_where_no_author_has_a_port() -> None:
    kernel = replace(RECORD.kernel, author_port=None)
    rows = list(PLUGIN.make_rows(replace(RECORD, kernel=kernel), RowContext()))
    assert [row.ported_by for row in rows] == ["rules"]
