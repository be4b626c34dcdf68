"""The closing table and the exit code say what a crawl came to."""

from __future__ import annotations

import json

import pytest

from crawler.model import (
    Behaviour,
    Instantiation,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.cli import exit_codes
from workers.cli.crawls.crawl_report import (
    iter_summary_rows,
    join_counts,
    report_crawl,
)
from workers.local.crawl import CrawlSession
from workers.status.crawl_summary import count_funnel


def crawl_with_failures(storage: Storage, code: str, message: str, count: int) -> str:
    tasks = [
        TaskSpec(
            stage=Stage.EXTRACT,
            key=str(number),
            version="1",
            queue="extract",
            payload="{}",
            subject=f"task {number}",
        )
        for number in range(count)
    ]
    crawl = storage.ledger.open_crawl(("somewhere",), tuple(tasks))
    while claim := storage.ledger.claim("me", tuple(Stage), 60):
        storage.ledger.fail(claim, code, message)
    return crawl


def session(crawl: str) -> CrawlSession:
    return CrawlSession(crawl, tasks_done=1, seconds=1.0)


def test_a_failed_task_is_named_with_the_first_line_of_its_message(
    storage: Storage, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = crawl_with_failures(storage, "network-down", "no route\nmore", 1)

    assert report_crawl(storage, session(crawl), as_json=False) == exit_codes.FAILED

    notes = capsys.readouterr().err
    assert notes == "failed: extract task 0 [network-down] no route\n"


def test_a_bug_is_named_with_the_last_line_of_its_traceback(
    storage: Storage, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = crawl_with_failures(storage, "internal", "Traceback\nKeyError: 1\n", 1)

    report_crawl(storage, session(crawl), as_json=False)

    assert "KeyError: 1 (a bug: `kernelset failures`" in capsys.readouterr().err


def test_only_the_first_ten_failures_are_named(
    storage: Storage, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = crawl_with_failures(storage, "network-down", "no route", 12)

    report_crawl(storage, session(crawl), as_json=False)

    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == 11
    assert notes[-1] == f"and 2 more: kernelset failures --crawl {crawl}"


def test_a_crawl_without_kernels_matched_nothing(
    storage: Storage, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = storage.ledger.open_crawl(("somewhere",), ())

    assert report_crawl(storage, session(crawl), as_json=True) == exit_codes.NOTHING

    output = capsys.readouterr()
    assert json.loads(output.out)["crawl"] == crawl
    assert output.err == "no kernel was found\n"


def test_counts_are_joined_in_their_order() -> None:
    assert join_counts({"pass": 2, "fail": 1}) == "pass 2, fail 1"
    assert join_counts({}) == ""


def test_the_closing_table_says_what_was_not_run_and_what_consistent_means(
    storage: Storage,
) -> None:
    labels = ("float", "int", "half")
    kernel = make_kernel(
        "k",
        unit=make_unit("text"),
        instantiations=tuple(
            Instantiation(arguments=(label,), label=label) for label in labels
        ),
    )
    run = Run(
        unit=make_unit("text").digest,
        device="cpu",
        toolchain=Toolchain(compiler="clang"),
        pass_exe=Verdict(status=Status.CONSISTENT),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation="float",
    )
    storage.index.put_kernels(REPO, [kernel])
    storage.index.put_runs([run])
    funnel = count_funnel(storage)

    rows = dict(iter_summary_rows(funnel, session("")))

    assert rows["instantiations, cpu"] == (
        "1 of 3 run (consistent 1 [agrees with itself; meaning not proven], not-run 2)"
    )
    assert rows["ran on cpu"] == (
        "1 of 1 (consistent 1 [agrees with itself; meaning not proven])"
    )
    assert rows["strength, cpu"] == "unmeasured 1"
