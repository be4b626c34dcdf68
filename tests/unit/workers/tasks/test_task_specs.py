"""What makes two tasks one: the same ids, the same options, the same versions of all that they
lead to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import crawler.port.version
import crawler.validate.version
from crawler.model import Dialect, Instantiation, KernelUnit, Repo
from crawler.toolchains import discovery
from storage.ledger.interface import Lane, Stage
from workers.cluster.stranded_crawls import is_newer_revision
from workers.stages.port import (
    MAX_BATCH_INSTANTIATIONS,
    MAX_BATCH_UNITS,
    _divide_into_batches,
)
from workers.tasks import task_specs
from workers.tasks.payloads import BatchPayload, RepoPayload
from workers.tasks.queues import broker_queue, queue_of, stage_of

UNIT = KernelUnit(
    source="",
    dialect=Dialect.CUDA,
    kernel_name="k",
    instantiations=(),
    prelude="",
    digest="",
    token_digest="",
)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    task_specs.stage_version.cache_clear()
    task_specs.stage_revision.cache_clear()
    yield
    task_specs.stage_version.cache_clear()
    task_specs.stage_revision.cache_clear()


def test_the_same_payload_is_the_same_task() -> None:
    first = task_specs.make_task_spec(
        Stage.CLONE, RepoPayload(repo="ab", targets=("sm_80",)), "mmcv"
    )
    again = task_specs.make_task_spec(
        Stage.CLONE, RepoPayload(repo="ab", targets=("sm_80",)), "called otherwise"
    )
    other = task_specs.make_task_spec(
        Stage.CLONE, RepoPayload(repo="ab", targets=("gfx90a",)), "mmcv"
    )
    assert (first.key, first.version) == (again.key, again.version)
    assert first.key != other.key
    assert (
        first.payload
        == '{"repo":"ab","targets":["sm_80"],"submodules":false,"dependency_hosts":[],'
        '"debian_headers":false}'
    )


def test_what_is_parsed_does_not_depend_on_the_targets() -> None:
    assert (
        "targets"
        not in task_specs.make_task_spec(
            Stage.EXTRACT, BatchPayload(snapshot="a", database="b", group=0), "x"
        ).payload
    )


def test_a_new_version_of_a_stage_reaches_it_from_every_earlier_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {stage: task_specs.stage_version(stage) for stage in Stage}
    task_specs.stage_version.cache_clear()
    monkeypatch.setattr(crawler.port.version, "VERSION", "next")
    after = {stage: task_specs.stage_version(stage) for stage in Stage}
    changed = {stage for stage in Stage if before[stage] != after[stage]}
    assert changed == {Stage.LIST, Stage.CLONE, Stage.BUILD_DB, Stage.LINK, Stage.PORT}


def test_another_toolchain_is_another_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    before = (
        task_specs.stage_version(Stage.VALIDATE),
        task_specs.stage_version(Stage.EXTRACT),
    )
    task_specs.stage_version.cache_clear()
    monkeypatch.setattr(discovery, "toolchain_digest", lambda: "another clang")
    assert task_specs.stage_version(Stage.VALIDATE) != before[0]
    assert task_specs.stage_version(Stage.EXTRACT) == before[1]


def test_another_toolchain_is_no_other_revision_of_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {stage: task_specs.stage_revision(stage) for stage in Stage}
    task_specs.stage_revision.cache_clear()
    monkeypatch.setattr(discovery, "toolchain_digest", lambda: "another clang")
    assert {stage: task_specs.stage_revision(stage) for stage in Stage} == before
    assert task_specs.make_task_spec(Stage.PORT, {}, "x").revision == before[Stage.PORT]


def test_a_newer_revision_is_known_by_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = task_specs.stage_revision(Stage.LIST)
    task_specs.stage_revision.cache_clear()
    monkeypatch.setattr(
        crawler.port.version, "VERSION", str(int(crawler.port.version.VERSION) + 1)
    )
    assert is_newer_revision(task_specs.stage_revision(Stage.LIST), before)
    assert not is_newer_revision(before, task_specs.stage_revision(Stage.LIST))
    assert not is_newer_revision(before, before)


def test_every_queue_is_of_one_stage() -> None:
    devices = {Stage.VALIDATE_DEVICE: "rocm:gfx942"}
    queues = {stage: queue_of(stage, devices.get(stage, "")) for stage in Stage}
    assert {stage: stage_of(queue) for stage, queue in queues.items()} == {
        stage: stage for stage in Stage
    }
    assert broker_queue(Lane("extract")) == "extract"
    assert broker_queue(Lane("extract", "40+ab")) == "extract@40+ab"


def test_later_stages_go_first_so_that_commits_finish() -> None:
    priorities = {
        stage: task_specs.make_task_spec(stage, {"x": 1}, "x").priority
        for stage in Stage
    }
    runs = priorities.pop(Stage.VALIDATE_CPU)
    assert list(priorities.values()) == sorted(priorities.values())
    assert runs < min(priorities.values()), (
        "kernels are run when nothing else is left to do"
    )


def test_a_long_task_waits_for_what_is_to_be_extracted() -> None:
    first, second = (
        task_specs.make_task_spec(stage, {"x": 1}, "x", is_long=is_long).priority
        for stage, is_long in ((Stage.EXTRACT, False), (Stage.VALIDATE, True))
    )
    assert first == second, "of one priority the older one goes first"
    assert (
        task_specs.make_task_spec(Stage.LIST, {"x": 1}, "x", is_long=True).priority == 0
    ), "no task comes sooner for being long"


def test_a_title_is_what_people_say() -> None:
    repo = Repo(
        source="pypi",
        owner="",
        name="mmcv",
        url="",
        ref="2.2.0",
        commit="sha256:" + "0" * 64,
    )
    assert task_specs.repo_title(repo) == "mmcv 2.2.0"
    assert (
        task_specs.repo_title(replace(repo, owner="open-mmlab", ref=""))
        == "open-mmlab/mmcv 000000000000"
    )


def units(*counts: int) -> list[KernelUnit]:
    return [
        replace(
            UNIT,
            digest=f"{number:04}",
            instantiations=tuple(
                Instantiation(arguments=(str(n),), label=str(n)) for n in range(count)
            ),
        )
        for number, count in enumerate(counts)
    ]


def test_batches_are_bounded_hold_each_unit_once_and_put_the_longest_first() -> None:
    dealt = _divide_into_batches(
        units(*[1] * 40, 282, *[3] * 20), ("sm_80", "sm_90", "gfx90a")
    )
    for target in ("sm_80", "sm_90"):
        digests = [
            unit.digest
            for batch, target_of_batch in dealt
            if target_of_batch == target
            for unit in batch
        ]
        assert sorted(digests) == [f"{number:04}" for number in range(61)]
    assert {target_of_batch for _, target_of_batch in dealt} == {"sm_80", "sm_90"}
    assert [len(batch[0].instantiations) for batch, _ in dealt[:2]] == [282, 282]
    for batch, _ in dealt:
        weight = sum(max(1, len(unit.instantiations)) for unit in batch)
        assert len(batch) <= MAX_BATCH_UNITS
        assert weight <= MAX_BATCH_INSTANTIATIONS or len(batch) == 1


def test_batches_do_not_depend_on_the_order_of_units() -> None:
    batch_units = units(1, 2, 3, 4, 5, 100)
    assert _divide_into_batches(batch_units, ("sm_80",)) == _divide_into_batches(
        batch_units[::-1], ("sm_80",)
    )
    assert _divide_into_batches([], ("sm_80",)) == []
