"""What every index of kernels shows, and that they agree on every query."""

from __future__ import annotations

import itertools
from dataclasses import replace
from itertools import islice

import pytest

from storage.errors import BadQuery
from storage.interfaces import KernelIndex, Place
from storage.kernel_counts import Totals
from tests.contract.kernel_indexes import (
    ALIGN,
    BUILDS,
    KERNELS,
    MMCV,
    OTHER,
    PORTED,
    RUNS,
    SUITE,
    SUITE_DIGEST,
    names,
)

QUERIES = {
    "name=roi_align*": 2,
    "name=ROI_align_forward": 0,
    "name=nms,Lost_100%": 2,
    'digest=""': 1,
    f"digest={ALIGN.digest[:9]}*": 2,
    f"cluster={OTHER.token_digest}": 1,
    "not found_by=ast not found_by=string": 1,
    "instantiation=half": 2,
    'instantiation=""': 0,
    f"port={PORTED.digest}": 2,
    "pass_call.sm_80=pass": 2,
    "pass_call.gfx90a!=pass": 4,
    "-pass_call=*": 1,
    "pass_exe.cpu=consistent": 2,
    "pass_exe.cpu=pass": 0,
    "pass_exe=pass": 2,
    "pass_exe.rocm:gfx90a=pass pass_perf.rocm:gfx90a=fail": 2,
    "pass_perf.cpu=*": 0,
    "reasons=extent": 1,
    "reasons=race": 0,
    "reasons=few-cases": 0,
}


def test_rows_are_ordered_by_place(index: KernelIndex) -> None:
    assert names(index) == [
        "mmcv:roi_align_forward",
        "mmcv:nms",
        "mmcv:Lost_100%",
        "some/fork:roi_align_forward",
    ]


def test_a_row_tells_all_of_a_kernel(index: KernelIndex) -> None:
    row = next(index.query("repo=mmcv name=roi_align_forward"))
    assert (row.digest, row.cluster, row.ports) == (
        ALIGN.digest,
        ALIGN.token_digest,
        (PORTED.digest,),
    )
    assert (row.path, row.line, row.end_line) == ("a.cu", 10, 30)
    assert (row.repo, row.url, row.commit) == (
        "mmcv",
        "https://example.org/mmcv-2.2.0.tar.gz",
        "sha256:aa",
    )
    assert (row.dialect, row.found_by, row.flags_origin, row.reason) == (
        "cuda",
        "ast",
        "exported",
        "",
    )
    assert (row.is_template, row.instantiations, row.launches) == (
        True,
        ("float", "half"),
        1,
    )
    assert (row.licence, row.licence_class) == ("Apache-2.0", "permissive")
    assert row.tags == ("template", "uses:atomics")
    assert row.pass_call == {"sm_80": "pass", "gfx90a": "fail"}
    assert row.reasons == ("compile-error", "ptx")
    assert row.pass_exe == {"cpu": "consistent", "rocm:gfx90a": "pass"}, (
        "of the unit, else of its port"
    )
    assert row.pass_perf == {"rocm:gfx90a": "fail"}


def test_a_kernel_without_a_unit_says_why(index: KernelIndex) -> None:
    row = next(index.query("name~lost"))
    assert (row.digest, row.cluster, row.reasons, row.pass_call) == (
        "",
        "",
        ("unresolved",),
        {},
    )


@pytest.mark.parametrize("expression", QUERIES)
def test_a_query_finds(index: KernelIndex, expression: str) -> None:
    assert len(names(index, expression)) == QUERIES[expression]


def test_a_limit_cuts_and_zero_does_not(index: KernelIndex) -> None:
    assert [len(list(index.query(limit=limit))) for limit in (0, 1, 3, 9)] == [
        4,
        1,
        3,
        4,
    ]


def test_a_crawl_has_the_kernels_of_its_commits(
    crawled_index: tuple[str, KernelIndex],
) -> None:
    crawl, index = crawled_index
    assert {row.repo for row in index.query(crawl=crawl)} == {"mmcv"}
    assert list(index.query(crawl="another")) == []
    assert [record.provenance.repo for record in index.records("nms", crawl=crawl)] == [
        MMCV
    ]


def test_totals_count_units_once_and_kernels_where_they_stand(
    crawled_index: tuple[str, KernelIndex],
) -> None:
    crawl, index = crawled_index
    whole, mine = index.totals(), index.totals(crawl=crawl)
    assert (whole.files, whole.by_layer, whole.units) == (
        3,
        {"ast": 2, "string": 1, "syntactic": 1},
        2,
    )
    assert whole.compiled == {
        "gfx90a": {"fail": 1},
        "sm_80": {"pass": 1, "unsupported": 1},
    }
    assert (mine.files, mine.by_layer, mine.compiled) == (
        2,
        {"ast": 2, "syntactic": 1},
        whole.compiled,
    )
    assert (
        whole.ran
        == mine.ran
        == {"cpu": {"consistent": 1, "unsupported": 1}, "rocm:gfx90a": {"pass": 1}}
    )
    assert whole.reasons == {
        "compile-error": 2,
        "extent": 1,
        "no-compiler": 1,
        "ptx": 2,
        "unresolved": 1,
    }
    assert mine.reasons == {
        "compile-error": 1,
        "extent": 1,
        "no-compiler": 1,
        "ptx": 1,
        "unresolved": 1,
    }
    assert (whole.ported, whole.classified) == (mine.ported, mine.classified) == (1, 1)
    assert index.totals(crawl="another") == Totals(
        files=0,
        by_layer={},
        units=0,
        ported=0,
        classified=0,
        compiled={},
        fidelity={},
        ran={},
        instantiations={},
        extents={},
        strength={},
        mutants_killed={},
        reasons={},
    )


def test_a_record_gives_back_every_value(index: KernelIndex) -> None:
    record, lost = (
        next(index.records("roi repo=mmcv")),
        next(index.records('digest=""')),
    )
    assert (record.kernel, lost.kernel) == (KERNELS[0], KERNELS[2])
    assert record.ports == (PORTED,)
    assert record.builds == (BUILDS[1], BUILDS[2])
    assert (record.runs, record.suites) == (
        (RUNS[1], RUNS[3], RUNS[2]),
        ((SUITE_DIGEST, SUITE),),
    )
    assert (record.cluster, record.reasons) == (
        ALIGN.token_digest,
        ("compile-error", "ptx"),
    )
    assert (record.provenance.repo, record.provenance.span) == (MMCV, KERNELS[0].span)
    assert record.provenance.snapshot == "snapshot"


def test_units_of_a_commit_are_distinct_and_ordered(index: KernelIndex) -> None:
    units = list(index.units(MMCV))
    assert units == sorted((ALIGN, OTHER, PORTED), key=lambda unit: unit.digest)
    assert list(index.units(replace(MMCV, commit="unknown"))) == []


def test_no_more_records_than_asked_for_are_given(index: KernelIndex) -> None:
    everything = list(index.records())
    assert len(everything) > 2
    for limit in (1, 2, len(everything) + 1):
        assert list(index.records(limit=limit)) == everything[:limit]
    assert list(index.records(limit=0)) == everything


def test_a_wrong_query_raises_before_anything_is_read(index: KernelIndex) -> None:
    with pytest.raises(BadQuery, match="character 4"):
        index.query("ok colour=red")
    with pytest.raises(BadQuery):
        index.records("lines>x")


def test_the_rows_behind_a_place_are_the_next_page(index: KernelIndex) -> None:
    rows = list(index.query())
    places = [Place(row.repo, row.commit, row.path, row.offset) for row in rows]
    assert places == sorted(places)
    for number, place in enumerate(places, 1):
        behind = [row for row, own in zip(rows, places, strict=True) if own > place]
        assert list(index.query(after=place)) == behind, number
        assert list(index.query(after=place, limit=1)) == behind[:1]
    name = rows[-1].name
    assert [row.name for row in index.query(f'name = "{name}"', after=places[0])] == [
        row.name for row in rows[1:] if row.name == name and row is not rows[0]
    ]


def test_values_are_counted_among_the_first_kernels_only(index: KernelIndex) -> None:
    first, *_ = index.query(limit=1)
    for field, value in (("name", first.name), ("found_by", first.found_by)):
        (count,) = index.count_values(field, among=1)
        assert (count.value, count.kernels) == (value, 1)
    in_row = {count.value for count in index.count_values("tag", among=1)}
    assert in_row == set(first.tags)
    reasons = {count.value for count in index.count_values("reasons", among=1)}
    assert reasons == set(first.reasons)
    assert index.count_values("name", among=1000) == index.count_values("name")


@pytest.mark.parametrize("expression", ["", "found_by = ast", "name = nobody"])
def test_facets_are_the_counts_of_each_field(
    index: KernelIndex, expression: str
) -> None:
    fields = ("name", "class", "review", "pass_call", "pass_exe", "reasons", "operator")
    for among, limit in itertools.product((1, 3, 1000), (0, 1, 2, 1000)):
        rows, counts = index.query_with_facets(
            fields, expression, limit=limit, among=among
        )
        assert rows == list(islice(index.query(expression), limit))
        assert counts == {
            field: index.count_values(field, expression, among=among)
            for field in fields
        }
    with pytest.raises(BadQuery):
        index.query_with_facets(("no_such_field",), limit=0, among=1)
