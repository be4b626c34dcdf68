"""The closing table counts what came through, and why the rest did not, by code."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.model import KernelRecord
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import Storage
from workers.cli.crawls.crawl_report import iter_summary_rows
from workers.local.crawl import CrawlSession
from workers.status.crawl_summary import Funnel, count_funnel

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
ENDS = {
    Stage.CLONE: ("",),
    Stage.EXTRACT: ("killed-its-worker", "", "killed-its-worker"),
    Stage.LINK: ("parse-failed",),
    Stage.VALIDATE: ("", "internal"),
}


@pytest.fixture
def crawl(storage: Storage) -> str:
    """Give the id of a crawl that found the rollers, some of whose tasks failed and one of
    which had no kernels.
    """
    tasks = [
        TaskSpec(
            stage=stage,
            key=f"{number}",
            version="1",
            queue=stage,
            payload="{}",
            subject=code,
        )
        for stage, codes in ENDS.items()
        for number, code in enumerate(codes)
    ]
    empty = TaskSpec(
        stage=Stage.CLONE,
        key="empty",
        version="1",
        queue="clone",
        payload="{}",
        subject="no-kernels",
    )
    crawl = storage.ledger.open_crawl(("rollers",), (*tasks, empty))
    while claim := storage.ledger.claim("me", tuple(Stage), 60):
        if claim.subject:
            storage.ledger.fail(
                claim, claim.subject, "why", rejected=claim.subject == "no-kernels"
            )
        else:
            storage.ledger.finish(claim, Outcome())
        if claim.stage is Stage.CLONE:
            storage.index.put_commit(RECORDS[0].provenance.repo, "", "", task=claim.id)
    storage.index.put_kernels(
        RECORDS[0].provenance.repo, [record.kernel for record in RECORDS]
    )
    storage.index.put_ports(port for record in RECORDS for port in record.ports)
    storage.index.put_builds(build for record in RECORDS for build in record.builds)
    return crawl


def make_rows(funnel: Funnel, *, done: int, seconds: float) -> dict[str, str]:
    return dict(
        iter_summary_rows(
            funnel, CrawlSession("0f3c", tasks_done=done, seconds=seconds)
        )
    )


def test_it_has_everything_that_came_through(storage: Storage, crawl: str) -> None:
    rows = make_rows(count_funnel(storage, crawl), done=8, seconds=3600)
    assert (rows["repositories"], rows["files with kernels"], rows["units"]) == (
        "1",
        "6",
        "6",
    )
    assert rows["kernels"] == "6 (ast 6)"
    assert rows["ported to HIP"] == "5 (0 classified as unportable: 0.0 %)"
    assert rows["compiled for sm_80"] == "4 of 5 (fail 1, pass 4)"
    assert rows["kernels an hour"] == "6"


def test_reasons_of_kernels_and_failures_of_tasks_are_counted_by_code(
    storage: Storage, crawl: str
) -> None:
    funnel = count_funnel(storage, crawl)
    assert funnel.reasons == {"compile-error": 1}
    rows = make_rows(funnel, done=8, seconds=1)
    assert rows["reasons"] == "compile-error 1"
    assert rows["failures"] == "killed-its-worker 2, internal 1, parse-failed 1"
    assert rows["rejected"] == "no-kernels 1"


def test_another_crawl_counts_for_itself(storage: Storage, crawl: str) -> None:
    other = storage.ledger.open_crawl(("other",), ())
    rows = make_rows(count_funnel(storage, other), done=0, seconds=1)
    assert (rows["kernels"], rows["reasons"], rows["failures"]) == (
        "0 (none)",
        "none",
        "none",
    )
    assert count_funnel(storage, crawl) == count_funnel(storage)


def test_only_a_runs_own_share_counts_as_its_speed(
    storage: Storage, crawl: str
) -> None:
    funnel = count_funnel(storage, crawl)
    assert (
        make_rows(funnel, done=funnel.ended // 2, seconds=1800)["kernels an hour"]
        == "6"
    )
    idle = make_rows(funnel, done=0, seconds=2)
    assert "kernels an hour" not in idle
    assert idle["this run"].startswith("nothing was redone")


def make_task(stage: Stage, version: str) -> TaskSpec:
    return TaskSpec(
        stage=stage, key="k", version=version, queue="q", payload="{}", subject="s"
    )


def run_crawl(storage: Storage, version: str) -> str:
    crawl = storage.ledger.open_crawl(("pypi:mmcv",), (make_task(Stage.LIST, version),))
    listing = storage.ledger.claim("me", (Stage.LIST,), 60)
    assert listing
    storage.ledger.finish(listing, Outcome(children=(make_task(Stage.CLONE, version),)))
    cloning = storage.ledger.claim("me", (Stage.CLONE,), 60)
    assert cloning
    below = (make_task(Stage.BUILD_DB, version),) if version == "old" else ()
    storage.ledger.finish(cloning, Outcome(children=below))
    return crawl


def test_a_crawl_counts_what_this_version_did_of_it(storage: Storage) -> None:
    mine = run_crawl(storage, "old")
    building = storage.ledger.claim("me", (Stage.BUILD_DB,), 60)
    assert building
    storage.ledger.fail(building, "internal", "an old bug")
    assert (
        count_funnel(storage, mine).repositories,
        count_funnel(storage, mine).failures,
    ) == (1, {"internal": 1})
    assert run_crawl(storage, "new") == mine
    for crawl in (mine, ""):
        funnel = count_funnel(storage, crawl)
        assert (funnel.repositories, funnel.failures, funnel.ended) == (1, {}, 1)
