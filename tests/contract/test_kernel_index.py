"""What every index of kernels does, and that they agree on every query."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import encode
from crawler.model import (
    Behaviour,
    BufferRole,
    Build,
    Case,
    CaseBuffer,
    CaseKind,
    Dialect,
    FlagsOrigin,
    Instantiation,
    Kernel,
    KernelUnit,
    Launch,
    Layer,
    Licence,
    LicenceClass,
    PortReport,
    Repo,
    Run,
    Span,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from storage.errors import BadQuery
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex, Totals
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage, open_storage

MMCV = Repo(
    source="pypi",
    owner="",
    name="mmcv",
    url="https://example.org/mmcv-2.2.0.tar.gz",
    ref="2.2.0",
    commit="sha256:aa",
)
FORK = Repo(source="git", owner="some", name="fork", url="u", ref="", commit="beef")


def unit_of(
    text: str,
    *,
    dialect: Dialect = Dialect.CUDA,
    ported_from: str = "",
    blocked: str = "",
) -> KernelUnit:
    return KernelUnit(
        source=text,
        dialect=dialect,
        kernel_name="k",
        instantiations=(Instantiation(arguments=("float",), label="float"),),
        prelude="p",
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=hashlib.sha256("".join(text.split()).encode()).hexdigest(),
        ported_from=ported_from,
        port_report=PortReport(blockers=((blocked, 3),)) if blocked else None,
    )


def kernel_of(
    name: str, *, path: str = "a.cu", offset: int = 0, **changes: object
) -> Kernel:
    plain = Kernel(
        name=name,
        qualified_name=f"ns::{name}",
        mangled="",
        dialect=Dialect.CUDA,
        span=Span(
            path=path, line=10, end_line=30, offset=offset, end_offset=offset + 50
        ),
        found_by=Layer.AST,
        reason="",
        source="__global__ void k();",
        template_head="",
        parameters=(),
        template_parameters=(),
        attributes=(),
        instantiations=(Instantiation(arguments=(), label=""),),
        launches=(),
        flags_origin=FlagsOrigin.EXPORTED,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def build_of(
    unit: KernelUnit,
    target: str,
    status: Status,
    code: str = "",
    compiler: str = "clang 19",
) -> Build:
    return Build(
        unit=unit.digest,
        target=target,
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_call=Verdict(status=status, code=code),
    )


def suite_of(unit: KernelUnit) -> tuple[Suite, str]:
    buffer = CaseBuffer(
        name="a",
        element="float",
        element_size=4,
        size=8,
        role=BufferRole.OUT,
        content="1" * 64,
        gold="2" * 64,
    )
    case = Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        buffers=(buffer,),
    )
    suite = Suite(unit=unit.digest, seed=0, cases=(case,))
    return suite, hashlib.sha256(encode(suite)).hexdigest()


def run_of(
    unit: KernelUnit,
    device: str,
    status: Status,
    code: str = "",
    compiler: str = "clang 19",
    suite: str = "",
) -> Run:
    return Run(
        unit=unit.digest,
        device=device,
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_exe=Verdict(status=status, code=code),
        behaviour=Behaviour.DETERMINISTIC,
        suite=suite,
        cases=1 if suite else 0,
    )


ALIGN = unit_of("roi_align body")
PORTED = unit_of(
    "hip roi_align body", dialect=Dialect.HIP, ported_from=ALIGN.digest, blocked="ptx"
)
OTHER = unit_of("nms body")
LAUNCH = Launch(
    span=Span(path="host.cpp", line=5, end_line=5, offset=9, end_offset=20),
    kernel_name="k",
    grid="g",
    block="b",
)
KERNELS = (
    kernel_of(
        "roi_align_forward",
        template_head="template <typename T>",
        instantiations=(
            Instantiation(arguments=("float",), label="float"),
            Instantiation(arguments=("c10::Half",), label="half"),
        ),
        launches=(LAUNCH,),
        unit=ALIGN,
        tags=("template", "uses:atomics"),
        licence=Licence(spdx="Apache-2.0", kind=LicenceClass.PERMISSIVE),
    ),
    kernel_of(
        "nms",
        path="b.cu",
        offset=7,
        unit=OTHER,
        tags=("trivial",),
        template_head="template <>",
    ),
    kernel_of(
        "Lost_100%",
        path="b.cu",
        offset=90,
        unit_problem="unresolved:Foo",
        found_by=Layer.SYNTACTIC,
        reason="parse-timeout",
        flags_origin=FlagsOrigin.SYNTHESISED,
    ),
)
BUILDS = (
    build_of(ALIGN, "sm_80", Status.FAIL, "compile-error", compiler="clang 18"),
    build_of(ALIGN, "sm_80", Status.PASS),
    build_of(PORTED, "gfx90a", Status.FAIL, "compile-error"),
    build_of(OTHER, "sm_80", Status.UNSUPPORTED, "no-compiler"),
)
SUITE, SUITE_DIGEST = suite_of(ALIGN)
RUNS = (
    run_of(ALIGN, "cpu", Status.FAIL, "race", compiler="clang 18"),
    run_of(ALIGN, "cpu", Status.CONSISTENT, "few-cases", suite=SUITE_DIGEST),
    replace(
        run_of(PORTED, "rocm:gfx90a", Status.PASS, suite=SUITE_DIGEST),
        pass_perf=Verdict(status=Status.FAIL, code="slow"),
    ),
    run_of(PORTED, "cpu", Status.PASS),
    run_of(OTHER, "cpu", Status.UNSUPPORTED, "extent"),
)


def fill_index(index: KernelIndex, crawl_task: int) -> None:
    index.put_commit(MMCV, "snapshot", "", task=crawl_task)
    index.put_commit(MMCV, "", "database")
    index.put_kernels(MMCV, KERNELS)
    index.put_commit(FORK, "", "")
    index.put_kernels(FORK, [replace(KERNELS[0], found_by=Layer.STRING)])
    index.put_ports([PORTED, OTHER])
    index.put_builds(BUILDS)
    index.put_runs(RUNS, [SUITE])


def crawl_in(storage: Storage) -> tuple[str, int]:
    spec = TaskSpec(
        stage=Stage.CLONE, key="k", version="7", queue="q", payload="{}", subject="s"
    )
    crawl = storage.ledger.open_crawl(("pypi:mmcv",), (spec,))
    claim = storage.ledger.claim("me", (Stage.CLONE,), 60)
    assert claim
    return crawl, claim.id


KINDS = ("sqlite", "postgres", "memory")


@pytest.fixture(scope="module")
def open_filled_index(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, str], tuple[str, KernelIndex]]]:
    """Open a filled index of a kind, once for the module, and return it behind its crawl."""
    with contextlib.ExitStack() as storages:
        indexes: dict[str, tuple[str, KernelIndex]] = {}

        def open_index(kind: str, address: str) -> tuple[str, KernelIndex]:
            if kind not in indexes:
                storage = storages.enter_context(
                    open_storage(tmp_path_factory.mktemp("home"), database=address)
                )
                crawl, task = crawl_in(storage)
                memory = InMemoryKernelIndex(
                    lambda name: {task} if name == crawl else set()
                )
                index = memory if kind == "memory" else storage.index
                fill_index(index, task)
                indexes[kind] = crawl, index
            return indexes[kind]

        yield open_index


@pytest.fixture(params=KINDS)
def crawled_index(
    request: pytest.FixtureRequest,
    open_filled_index: Callable[[str, str], tuple[str, KernelIndex]],
) -> tuple[str, KernelIndex]:
    """A crawl that found some of the kernels of an index, and that index."""
    address = ""
    if request.param == "postgres":
        address = request.getfixturevalue("kept_database")
    return open_filled_index(request.param, address)


@pytest.fixture
def index(crawled_index: tuple[str, KernelIndex]) -> KernelIndex:
    return crawled_index[1]


@pytest.fixture(params=KINDS)
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KernelIndex]:
    if request.param == "memory":
        yield InMemoryKernelIndex()
        return
    address = (
        request.getfixturevalue("emptied")() if request.param == "postgres" else ""
    )
    with open_storage(tmp_path, database=address) as storage:
        yield storage.index


def names(index: KernelIndex, expression: str = "") -> list[str]:
    return [f"{row.repo}:{row.name}" for row in index.query(expression)]


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
        ran={},
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


def test_putting_again_replaces(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    fresh.put_kernels(MMCV, KERNELS)
    assert len(names(fresh)) == 3
    fresh.put_kernels(MMCV, KERNELS[1:2])
    assert names(fresh) == ["mmcv:nms"]
    assert list(fresh.units(MMCV)) == [OTHER]
    fresh.put_kernels(MMCV, [])
    assert names(fresh) == []


def test_a_new_port_replaces_the_old_one(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    better = unit_of("better hip body", dialect=Dialect.HIP, ported_from=ALIGN.digest)
    fresh.put_ports([PORTED])
    fresh.put_ports([better])
    row = next(fresh.query("roi"))
    assert (row.ports, row.reasons) == ((better.digest,), ())
    assert PORTED not in list(fresh.units(MMCV))


def test_a_port_of_an_unknown_unit_is_refused_whole(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    stranger = unit_of("hip", dialect=Dialect.HIP, ported_from="0" * 64)
    with pytest.raises(KeyError, match="0000"):
        fresh.put_ports([PORTED, stranger])
    assert next(fresh.query("roi")).ports == ()


def test_the_newest_build_of_a_target_counts(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    for compiler, status in (
        ("a", Status.PASS),
        ("b", Status.FAIL),
        ("a", Status.CONSISTENT),
    ):
        fresh.put_builds([build_of(ALIGN, "sm_80", status, compiler=compiler)])
        assert next(fresh.query("roi")).pass_call == {"sm_80": status}
        assert len(names(fresh, f"pass_call.sm_80={status}")) == 1
    assert len(next(fresh.records("roi")).builds) == 1


def test_the_newest_run_of_a_device_counts_and_names_a_suite_that_is_there(
    fresh: KernelIndex,
) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    for compiler, status in (
        ("a", Status.PASS),
        ("b", Status.FAIL),
        ("a", Status.CONSISTENT),
    ):
        fresh.put_runs([run_of(ALIGN, "cpu", status, compiler=compiler)])
        assert next(fresh.query("roi")).pass_exe == {"cpu": status}
        assert len(names(fresh, f"pass_exe.cpu={status}")) == 1
    with pytest.raises(KeyError, match=SUITE_DIGEST):
        fresh.put_runs([run_of(ALIGN, "cpu", Status.PASS, suite=SUITE_DIGEST)])
    assert next(fresh.query("roi")).pass_exe == {"cpu": "consistent"}
    assert len(next(fresh.records("roi")).runs) == 1


def test_a_wrong_query_raises_before_anything_is_read(index: KernelIndex) -> None:
    with pytest.raises(BadQuery, match="character 4"):
        index.query("ok colour=red")
    with pytest.raises(BadQuery):
        index.records("lines>x")


def test_a_newer_commit_of_the_same_ref_supersedes_and_other_refs_stay(
    fresh: KernelIndex,
) -> None:
    newer, branch = (
        replace(FORK, commit="cafe"),
        replace(FORK, commit="f00d", ref="dev"),
    )
    for repo, name in ((FORK, "old"), (branch, "dev"), (newer, "new"), (MMCV, "k")):
        fresh.put_kernels(repo, [kernel_of(name)])

    def gone() -> set[str]:
        return {row.name for row in fresh.query("superseded = yes")}

    assert gone() == {"old"}
    fresh.put_kernels(FORK, [kernel_of("old")])
    assert gone() == {"new"}
    fresh.reinstate(newer)
    fresh.reinstate(replace(FORK, commit="unknown"))
    fresh.reinstate(branch)
    assert gone() == {"old"}
    fresh.supersede(replace(FORK, commit="without kernels"))
    assert gone() == {"new", "old"}
    fresh.supersede(replace(FORK, commit=""))
    assert gone() == {"new", "old", "dev"}
    assert {row.name for row in fresh.query("superseded = no")} == {"k"}


def test_a_renamed_repository_keeps_its_kernels_and_each_commit_once(
    fresh: KernelIndex,
) -> None:
    moved = replace(FORK, owner="other", name="place", url="v")
    for repo, names in (
        (FORK, ("a", "b")),
        (replace(FORK, commit="cafe"), ("c",)),
        (replace(moved, commit="cafe"), ("d",)),
    ):
        fresh.put_kernels(
            repo,
            [kernel_of(name, offset=number * 50) for number, name in enumerate(names)],
        )
    fresh.put_kernels(MMCV, [kernel_of("k")])
    for _ in range(2):
        fresh.rename(FORK, moved)
        assert [(row.repo, row.commit, row.name, row.url) for row in fresh.query()] == [
            ("mmcv", MMCV.commit, "k", MMCV.url),
            ("other/place", "beef", "a", "v"),
            ("other/place", "beef", "b", "v"),
            ("other/place", "cafe", "d", "v"),
        ]
    assert {record.provenance.repo.owner for record in fresh.records()} == {"", "other"}
    assert [(repo.owner, repo.name, repo.commit) for repo in fresh.repos()] == [
        ("other", "place", "beef"),
        ("other", "place", "cafe"),
        ("", "mmcv", MMCV.commit),
    ]
