"""A dataset takes what it may, and of near copies the best proven one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crawler.codec import decode
from crawler.dataset.decontamination.benchmark_kernels import BenchmarkKernels
from crawler.dataset.decontamination.contamination_report import Decontamination
from crawler.dataset.decontamination.kernel_texts import iter_kernel_texts
from crawler.dataset.selection.admission import Admission
from crawler.dataset.selection.select_records import (
    SelectionRules,
    plan_splits,
    select_records,
)
from crawler.dataset.selection.skip_counts import SkipCounts, SkipReason
from crawler.dataset.selection.splits import parse_split_shares
from crawler.model import (
    Kernel,
    KernelRecord,
    Licence,
    LicenceClass,
    Repo,
)
from crawler.optouts import OptOuts
from storage.in_memory.index import InMemoryKernelIndex
from tests.unit.storage.samples import make_build, make_kernel, make_unit

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
PERMISSIVE = Admission(frozenset({LicenceClass.PERMISSIVE}))
MIT = Licence(spdx="MIT", kind=LicenceClass.PERMISSIVE, evidence="LICENSE")
GPL = Licence(spdx="GPL-3.0-only", kind=LicenceClass.COPYLEFT, evidence="LICENSE")
LONG_TEXT = "__global__ void k(float* x) { " + "".join(
    f"x[{number}] += {number}.0f; " for number in range(40)
)


def repo_called(owner: str) -> Repo:
    return Repo(
        source="github", owner=owner, name="blur", url="u", ref="", commit="c0ffee"
    )


def kernel_at(
    path: str, *, text: str = LONG_TEXT, licence: Licence = MIT, unit_text: str = ""
) -> Kernel:
    unit = make_unit(unit_text) if unit_text else None
    kernel = replace(make_kernel("k", unit=unit), source=text, licence=licence)
    return replace(kernel, span=replace(kernel.span, path=path))


def select(
    index: InMemoryKernelIndex, rules: SelectionRules
) -> tuple[list[str], SkipCounts]:
    skip_counts = SkipCounts()
    places = [
        f"{record.provenance.repo.owner}:{record.kernel.span.path}"
        for record in select_records(index, rules, skip_counts)
    ]
    return places, skip_counts


def test_of_near_copies_the_one_nearest_to_its_root_is_kept() -> None:
    index = InMemoryKernelIndex()
    vendored = kernel_at("third_party/blur/src/blur.cu", text=LONG_TEXT + "int a;")
    index.put_kernels(repo_called("a"), [vendored])
    index.put_kernels(repo_called("b"), [kernel_at("src/blur.cu")])
    index.put_kernels(repo_called("fork"), [kernel_at("src/blur.cu")])

    places, skip_counts = select(index, SelectionRules(admission=PERMISSIVE))
    assert places == ["b:src/blur.cu"]
    assert skip_counts.count(SkipReason.COPY) == 2

    rules = SelectionRules(admission=PERMISSIVE, with_copies=True)
    places, skip_counts = select(index, rules)
    assert len(places) == 3
    assert not skip_counts


def test_the_best_proven_copy_is_kept_wherever_it_lies() -> None:
    index = InMemoryKernelIndex()
    compiling = kernel_at("a/deep/path/k.cu", unit_text="compiles")
    index.put_kernels(repo_called("a"), [kernel_at("k.cu")])
    index.put_kernels(repo_called("b"), [kernel_at("k.cu", unit_text="does not")])
    index.put_kernels(repo_called("c"), [compiling])
    assert compiling.unit
    index.put_builds([make_build(compiling.unit, "sm_80")])
    places, _ = select(index, SelectionRules(admission=PERMISSIVE))
    assert places == ["c:a/deep/path/k.cu"]


def test_a_copy_stands_in_for_an_original_that_may_not_be_taken() -> None:
    index = InMemoryKernelIndex()
    index.put_kernels(repo_called("a"), [kernel_at("k.cu", licence=GPL)])
    index.put_kernels(repo_called("b"), [kernel_at("k.cu")])
    index.put_kernels(repo_called("c"), [kernel_at("copied/from/a/k.cu")])
    optouts = OptOuts(repository_names=frozenset({("github", "b")}))
    admission = Admission(frozenset({LicenceClass.PERMISSIVE}), optouts)

    places, skip_counts = select(index, SelectionRules(admission=admission))
    assert places == ["c:copied/from/a/k.cu"]
    assert skip_counts.list_values() == [
        {"class": "copyleft", "licence": "GPL-3.0-only", "kernels": 1},
        {"class": "opted-out", "licence": "MIT", "kernels": 1},
    ]


def test_kernels_without_a_text_are_no_copies_of_each_other() -> None:
    index = InMemoryKernelIndex()
    kernels = [kernel_at("a.cu", text=""), kernel_at("b.cu", text="")]
    index.put_kernels(repo_called("a"), kernels)
    places, _ = select(index, SelectionRules(admission=PERMISSIVE))
    assert len(places) == 2


def test_opted_out_units_and_repositories_are_refused() -> None:
    record = RECORDS[0]
    repo, unit = record.provenance.repo, record.kernel.unit
    assert unit is not None
    licence_class = record.kernel.licence.kind
    classes = frozenset({licence_class})
    of_unit = Admission(classes, OptOuts(digests=frozenset({unit.digest})))
    named = frozenset({(repo.source, repo.name.lower())})
    of_repository = Admission(classes, OptOuts(repository_names=named))

    assert of_unit.find_refusal(licence_class, repo, unit.digest) == "opted-out"
    assert of_unit.find_refusal(licence_class, repo, "") is None
    assert of_repository.find_refusal(licence_class, repo, "") == "opted-out"


def test_an_opt_out_comes_before_a_licence() -> None:
    optouts = OptOuts(repository_names=frozenset({("github", "a")}))
    admission = Admission(frozenset(), optouts)
    refusal = admission.find_refusal(LicenceClass.COPYLEFT, repo_called("a"), "")
    assert refusal is SkipReason.OPTED_OUT


def test_a_kernel_of_a_benchmark_is_left_out_and_reported() -> None:
    index = InMemoryKernelIndex()
    index.put_kernels(repo_called("a"), [kernel_at("k.cu")])
    index.put_kernels(repo_called("b"), [kernel_at("other.cu", text="int other;")])
    benchmarks = BenchmarkKernels()
    (kernel,) = iter_kernel_texts(LONG_TEXT + "}")
    benchmarks.add("bench.jsonl", "bench.jsonl:3", kernel)
    decontamination = Decontamination(benchmarks)

    rules = SelectionRules(admission=PERMISSIVE, decontamination=decontamination)
    places, skip_counts = select(index, rules)
    assert places == ["b:other.cu"]
    assert skip_counts.count(SkipReason.IN_BENCHMARK) == 1
    (row,) = decontamination.rows
    assert (row.place.path, row.match.item) == ("k.cu", "bench.jsonl:3")


def test_a_split_takes_its_own_kernels_alone() -> None:
    index = InMemoryKernelIndex()
    for number in range(20):
        kernel = kernel_at("k.cu", text=f"{LONG_TEXT} int own{number}_{number * 7};")
        index.put_kernels(repo_called(f"owner{number}"), [kernel])

    shares = parse_split_shares("train=0.5,test=0.5")
    everything = SelectionRules(admission=PERMISSIVE, with_copies=True)
    plan = plan_splits(index, shares)
    owners: list[str] = []
    for split in ("train", "test"):
        rules = replace(everything, split=split)
        counts = SkipCounts()
        records = select_records(index, rules, counts, plan)
        owners += [record.provenance.repo.owner for record in records]
        assert not counts

    # near copies of one kernel are in one split
    assert sorted(owners) == sorted(f"owner{number}" for number in range(20))
