"""What every index of kernels makes of what is put, superseded and renamed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import (
    Dialect,
    Status,
)
from storage.interfaces import KernelIndex
from tests.contract.kernel_indexes import (
    ALIGN,
    FORK,
    KERNELS,
    MMCV,
    OTHER,
    PORTED,
    SUITE_DIGEST,
    build_of,
    kernel_of,
    names,
    run_of,
    unit_of,
)


def test_putting_again_replaces(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    fresh.put_kernels(MMCV, KERNELS)
    assert len(names(fresh)) == 3
    fresh.put_kernels(MMCV, KERNELS[1:2])
    assert names(fresh) == ["mmcv:nms"]
    assert list(fresh.units(MMCV)) == [OTHER]
    fresh.put_kernels(MMCV, [])
    assert names(fresh) == []


def test_a_repository_has_kernels_once_any_commit_of_it_does(
    fresh: KernelIndex,
) -> None:
    later = replace(MMCV, commit="later")
    fresh.put_commit(MMCV, "", "")
    fresh.put_kernels(MMCV, [])
    assert not fresh.has_kernels(MMCV)

    fresh.put_kernels(MMCV, KERNELS)
    assert fresh.has_kernels(MMCV)
    assert fresh.has_kernels(later)
    assert not fresh.has_kernels(FORK)


def test_a_new_port_replaces_the_old_one(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    better = unit_of("better hip body", dialect=Dialect.HIP, ported_from=ALIGN.digest)
    fresh.put_ports([PORTED])
    fresh.put_ports([better])
    row = next(fresh.query("roi"))
    assert (row.ports, row.reasons) == ((better.digest,), ())
    assert PORTED not in list(fresh.units(MMCV))


def test_a_port_with_the_text_of_a_projects_own_kernel_leaves_that_one(
    fresh: KernelIndex,
) -> None:
    own = unit_of("hip body", dialect=Dialect.HIP)
    kernel = kernel_of("own", path="own.hip", unit=own)
    fresh.put_kernels(MMCV, [*KERNELS, kernel])
    fresh.put_ports([replace(own, ported_from=ALIGN.digest)])
    units = {
        record.kernel.name: record.kernel.unit
        for record in fresh.records()
        if record.kernel.unit
    }
    assert units["own"] == own


def test_a_port_of_an_unknown_unit_is_refused_whole(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    stranger = unit_of("hip", dialect=Dialect.HIP, ported_from="0" * 64)
    with pytest.raises(KeyError, match="0000"):
        fresh.put_ports([PORTED, stranger])
    assert next(fresh.query("roi")).ports == ()


def test_a_port_is_no_unit_yet_for_another_one_that_comes_with_it(
    fresh: KernelIndex,
) -> None:
    fresh.put_kernels(MMCV, KERNELS)
    of_port = unit_of("again", dialect=Dialect.HIP, ported_from=PORTED.digest)
    with pytest.raises(KeyError, match=PORTED.digest):
        fresh.put_ports([PORTED, of_port])
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
    for repo, kernel_names in (
        (FORK, ("a", "b")),
        (replace(FORK, commit="cafe"), ("c",)),
        (replace(moved, commit="cafe"), ("d",)),
    ):
        fresh.put_kernels(
            repo,
            [
                kernel_of(name, offset=number * 50)
                for number, name in enumerate(kernel_names)
            ],
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


_LONG_TEXT = "__global__ void k(float* x) { " + "".join(
    f"x[{number}] += {number}.0f; " for number in range(40)
)


def near_clusters(index: KernelIndex) -> dict[str, str]:
    return {row.path: row.near_cluster for row in index.query()}


def test_copies_are_grouped_over_repositories(fresh: KernelIndex) -> None:
    original = kernel_of("k", source=_LONG_TEXT + "}", path="original")
    same = kernel_of("k", source=_LONG_TEXT + " /* copied */ }", path="same")
    near = kernel_of("k", source=_LONG_TEXT + "x[7] = 0; }", path="near")
    renamed = kernel_of("k2", source=_LONG_TEXT + "}", path="renamed")
    other = kernel_of("other", source="__global__ void other() {}", path="other")
    textless = kernel_of("textless", source="", path="textless")
    fresh.put_kernels(MMCV, [original, same, other, textless])
    fresh.put_kernels(FORK, [near, renamed])

    before = near_clusters(fresh)
    assert before["original"] == before["same"] != ""
    assert before["near"] != before["original"]

    assert fresh.group_copies() == 4
    after = near_clusters(fresh)
    cluster = after["near"]
    copies = {"original", "same", "near", "renamed"}
    assert {path for path in after if after[path] == cluster} == copies
    assert cluster == min(before[path] for path in copies)
    assert after["other"] not in ("", cluster)
    assert after["textless"] == ""

    paths = {row.path for row in fresh.query(f"near_cluster = {cluster}")}
    assert paths == copies
    grouped = fresh.query('near_cluster != ""')
    assert {row.path for row in grouped} == copies | {"other"}
    records = {record.kernel.span.path: record for record in fresh.records()}
    assert records["near"].near_cluster == cluster


def test_groups_are_made_anew_only_for_new_texts(fresh: KernelIndex) -> None:
    fresh.put_kernels(MMCV, [kernel_of("k", source=_LONG_TEXT + "}")])
    assert fresh.group_copies() == 1
    assert fresh.group_copies() == 0
    fresh.put_kernels(FORK, [kernel_of("k", source=_LONG_TEXT + " }")])
    assert fresh.group_copies() == 0
    edited = kernel_of("k", source=_LONG_TEXT + "x[0] = 1; }", path="edited")
    fresh.put_kernels(FORK, [edited])
    assert fresh.group_copies() == 1
    assert len(set(near_clusters(fresh).values())) == 1


def test_a_text_that_no_kernel_has_any_more_is_in_no_group(fresh: KernelIndex) -> None:
    texts = [_LONG_TEXT + end for end in ("}", "x[7] = 0; }")]
    first, second = [kernel_of("k", source=text, path="a.cu") for text in texts]
    fresh.put_kernels(MMCV, [first])
    fresh.put_kernels(MMCV, [second])
    assert fresh.group_copies() == 1
    own_cluster = near_clusters(fresh)["a.cu"]

    # whichever of both a group would be called after
    fresh.put_kernels(FORK, [replace(first, span=replace(first.span, path="b.cu"))])
    assert fresh.group_copies() == 1
    fresh.put_kernels(FORK, [])
    assert fresh.group_copies() == 0
    assert near_clusters(fresh) == {"a.cu": own_cluster}
    fresh.put_kernels(FORK, [first])
    assert fresh.group_copies() == 1


def test_each_repository_is_listed_with_each_group_once(fresh: KernelIndex) -> None:
    deep = kernel_of("k", source=_LONG_TEXT + "}", path="a/b/k.cu")
    high = kernel_of("k", source=_LONG_TEXT + "}", path="a/k.cu", offset=9)
    fresh.put_kernels(MMCV, [deep, high, kernel_of("textless", source="")])
    fresh.put_kernels(FORK, [deep])
    cluster = near_clusters(fresh)["a/k.cu"]
    assert sorted(fresh.repository_clusters()) == [
        ("mmcv", cluster, 1),
        ("some/fork", cluster, 2),
    ]


def test_the_fingerprint_is_another_one_as_soon_as_something_is(
    fresh: KernelIndex,
) -> None:
    fingerprints = [fresh.compute_fingerprint()]
    fresh.put_kernels(MMCV, KERNELS)
    fingerprints.append(fresh.compute_fingerprint())
    assert fresh.compute_fingerprint() == fingerprints[-1]
    fresh.put_ports([PORTED])
    fingerprints.append(fresh.compute_fingerprint())
    fresh.put_builds([build_of(ALIGN, "sm_80", Status.PASS)])
    fingerprints.append(fresh.compute_fingerprint())
    fresh.put_builds([build_of(ALIGN, "sm_80", Status.FAIL, "compile-error")])
    fingerprints.append(fresh.compute_fingerprint())
    fresh.put_runs([run_of(ALIGN, "cpu", Status.CONSISTENT)])
    fingerprints.append(fresh.compute_fingerprint())
    fresh.supersede(replace(MMCV, commit="sha256:bb"))
    fingerprints.append(fresh.compute_fingerprint())
    assert len(set(fingerprints)) == len(fingerprints)
