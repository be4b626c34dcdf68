"""What users see of crawls, and what they change of them, by the verbs that take a crawl's id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from storage.ledger.interface import Outcome, Stage, TaskSpec
from workers.cli.exit_codes import DONE, NOTHING

if TYPE_CHECKING:
    from tests.unit.workers.cli.conftest import CommandLine

HOSTILE = "\x1b[2Jevil\nfailed"


def make_task(key: str, stage: Stage = Stage.LIST) -> TaskSpec:
    return TaskSpec(
        stage=stage, key=key, version="1", queue="q", payload="{}", subject=key
    )


def open_crawl(
    kernelset: CommandLine, *keys: str, locators: Sequence[str] = ("pypi:a",)
) -> str:
    with kernelset.open() as storage:
        tasks = tuple(make_task(key) for key in keys)
        return storage.ledger.open_crawl(tuple(locators), tasks)


def end_task(kernelset: CommandLine, code: str = "", message: str = "") -> None:
    """End the next task: well without a code, as rejected for `no-kernels`, else as failed."""
    with kernelset.open() as storage:
        claim = storage.ledger.claim("me", tuple(Stage), 60)
        assert claim
        if not code:
            storage.ledger.finish(claim, Outcome())
            return
        rejected = code == "no-kernels"
        storage.ledger.fail(claim, code, message, rejected=rejected)


def read_state(kernelset: CommandLine, crawl: str) -> str:
    with kernelset.open() as storage:
        return storage.ledger.crawl_state(crawl)


def test_a_crawl_is_paused_once_and_goes_on_once(kernelset: CommandLine) -> None:
    crawl = open_crawl(kernelset, "a")
    paused = kernelset.run("pause", crawl)
    assert (paused.code, paused.out) == (DONE, f"crawl {crawl}: paused\n")
    again = kernelset.run("pause", crawl)
    assert (again.code, again.out) == (NOTHING, f"crawl {crawl}: not active\n")
    assert read_state(kernelset, crawl) == "paused"

    resumed = kernelset.run("resume", crawl)
    assert (resumed.code, resumed.out) == (DONE, f"crawl {crawl}: goes on\n")
    again = kernelset.run("resume", crawl)
    assert (again.code, "neither paused" in again.out) == (NOTHING, True)
    assert read_state(kernelset, crawl) == "active"


def test_a_cancel_says_how_many_tasks_that_ended(kernelset: CommandLine) -> None:
    crawl = open_crawl(kernelset, "a", "b")
    end_task(kernelset)
    cancelled = kernelset.run("cancel", crawl)
    assert (cancelled.code, cancelled.out) == (
        DONE,
        f"crawl {crawl}: 1 tasks cancelled\n",
    )
    assert kernelset.run("cancel", crawl).code == NOTHING
    assert read_state(kernelset, crawl) == "cancelled"


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel"])
def test_an_unknown_crawl_is_named_with_what_lists_them(
    kernelset: CommandLine, verb: str
) -> None:
    answer = kernelset.run(verb, HOSTILE)
    assert (answer.code, answer.out) == (NOTHING, "")
    assert "`kernelset crawls` lists them" in answer.err
    assert "\x1b" not in answer.err
    assert "evil\n" not in answer.err


@pytest.mark.parametrize(("verb", "changed"), [("pause", 1), ("cancel", 2)])
def test_changes_are_counted_as_json(
    kernelset: CommandLine, verb: str, changed: int
) -> None:
    crawl = open_crawl(kernelset, "a", "b")
    (row,) = kernelset.run(verb, crawl, "--json").rows
    assert row == {"crawl": crawl, "changed": changed}


def test_a_failure_cannot_write_to_the_terminal_or_forge_another(
    kernelset: CommandLine,
) -> None:
    open_crawl(kernelset, "a")
    end_task(kernelset, "tool-failed", "\x1b[2J\rfailed list b [forged]\nfailed list c")
    lines = kernelset.run("failures").out.splitlines()
    assert len([line for line in lines if not line.startswith("    ")]) == 1
    assert "\x1b" not in "".join(lines)
    (row,) = kernelset.run("failures", "--json").rows
    assert row["message"].startswith("\x1b[2J"), "JSON has it as it is"


def test_a_status_counts_tasks_by_stage_state_and_code(kernelset: CommandLine) -> None:
    open_crawl(kernelset, "a", "b", "c")
    end_task(kernelset)
    end_task(kernelset, "network-down")
    answer = kernelset.run("status")
    rows = [line.split() for line in answer.out.splitlines()]
    assert ["list", "done", "1"] in rows
    assert ["list", "failed", "network-down", "1"] in rows
    assert ["list", "ready", "1"] in rows
    assert ["units", "0"] in rows


def test_a_status_of_one_crawl_leaves_others_out(kernelset: CommandLine) -> None:
    crawl = open_crawl(kernelset, "a")
    open_crawl(kernelset, "b", "c", locators=["pypi:b"])
    (row,) = kernelset.run("status", "--crawl", crawl, "--json").rows
    assert row["crawl"] == crawl
    assert row["tasks"] == [{"stage": "list", "state": "ready", "code": "", "tasks": 1}]
    (all_crawls,) = kernelset.run("status", "--json").rows
    assert [task["tasks"] for task in all_crawls["tasks"]] == [3]


def test_a_status_before_the_first_crawl_says_how_to_begin(
    kernelset: CommandLine,
) -> None:
    answer = kernelset.run("status")
    assert answer.code == DONE
    assert "`kernelset crawl LOCATOR` begins" in answer.err


def test_tasks_whose_process_is_gone_are_said(kernelset: CommandLine) -> None:
    open_crawl(kernelset, "a")
    with kernelset.open() as storage:
        # a lease that is over at once
        assert storage.ledger.claim("on another host", tuple(Stage), 0)
    assert "abandoned: 1 of the running tasks" in kernelset.run("status").out
    assert kernelset.run("status", "--json").rows[0]["abandoned"] == 1


def test_a_watch_ends_with_its_crawl(kernelset: CommandLine) -> None:
    crawl = open_crawl(kernelset, "a")
    end_task(kernelset)
    answer = kernelset.run("status", "--watch", "--every", 0.1, "--crawl", crawl)
    assert answer.code == DONE
    assert "left" in answer.out
    (row,) = kernelset.run("status", "--watch", "--crawl", crawl, "--json").rows
    assert row["all"]["left"] == 0
    assert row["stages"]["list"]["states"] == {"done": 1}
