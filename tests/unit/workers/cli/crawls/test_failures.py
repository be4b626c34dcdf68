"""What failed is told with its code, its attempts and what to do, and can be made ready again."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from storage.ledger.interface import Stage, TaskSpec
from tests.unit.workers.cli.conftest import CommandLine
from workers.cli.exit_codes import DONE, NOTHING


@dataclass
class Failing:
    """A home with a crawl of three tasks, two of which ended badly."""

    kernelset: CommandLine
    crawl: str


def make_task(key: str, stage: Stage) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=key,
        version="1",
        queue="q",
        payload="{}",
        subject=f"work of {key}",
    )


@pytest.fixture
def failing(kernelset: CommandLine) -> Failing:
    stages = (Stage.CLONE, Stage.EXTRACT, Stage.LINK)
    with kernelset.open() as storage:
        crawl = storage.ledger.open_crawl(
            ("pypi:a",), tuple(make_task(stage.value, stage) for stage in stages)
        )
        clone = storage.ledger.claim("me", (Stage.CLONE,), 60)
        extract = storage.ledger.claim("me", (Stage.EXTRACT,), 60)
        assert clone
        assert extract
        storage.ledger.fail(clone, "opted-out", "it is on the list\n", rejected=True)
        storage.ledger.fail(
            extract, "parse-timeout", "too slow:\x1b[31m\n\ngive it more time\n"
        )
    return Failing(kernelset, crawl)


def test_failures_are_told_oldest_first_with_their_whole_message(
    failing: Failing,
) -> None:
    answer = failing.kernelset.run("failures")
    assert answer.code == DONE
    assert answer.out.splitlines() == [
        "rejected clone work of clone [opted-out] after 1",
        "    it is on the list",
        "failed extract work of extract [parse-timeout] after 1",
        r"    too slow:\x1b[31m",
        "    ",
        "    give it more time",
    ]
    assert answer.err == ""


def test_programs_get_a_line_for_each_with_the_message_as_it_is(
    failing: Failing,
) -> None:
    rows = failing.kernelset.run("failures", "--json").rows
    assert [(row["stage"], row["state"], row["code"]) for row in rows] == [
        ("clone", "rejected", "opted-out"),
        ("extract", "failed", "parse-timeout"),
    ]
    assert rows[1]["message"].strip() == "too slow:\x1b[31m\n\ngive it more time"
    assert [row["attempts"] for row in rows] == [1, 1]


def test_of_another_crawl_nothing_is_told(failing: Failing) -> None:
    with failing.kernelset.open() as storage:
        other = storage.ledger.open_crawl(
            ("pypi:b",), (make_task("other", Stage.LIST),)
        )
    answer = failing.kernelset.run("failures", "--crawl", other)
    assert (answer.code, answer.out) == (DONE, "")
    assert answer.err == "nothing failed\n"
    assert failing.kernelset.run("failures", "--crawl", other, "--json").err == ""
    own = failing.kernelset.run("failures", "--crawl", failing.crawl, "--json")
    assert len(own.rows) == 2


def test_an_unknown_crawl_is_said(failing: Failing) -> None:
    answer = failing.kernelset.run("failures", "--crawl", "n\x1bne")
    assert (answer.code, answer.out) == (NOTHING, "")
    assert r"no crawl has the id n\x1bne" in answer.err


@pytest.mark.parametrize(
    ("words", "retried"),
    [
        ((), ["extract"]),
        (("--code", "parse-timeout"), ["extract"]),
        # what is rejected runs again where its code is named
        (("--code", "opted-out"), ["clone"]),
        (("--code", "no-such-code"), []),
        (("--crawl", "none"), []),
    ],
)
def test_what_failed_is_made_ready_again(
    failing: Failing, words: tuple[str, ...], retried: list[str]
) -> None:
    answer = failing.kernelset.run("retry", *words, "--json")
    assert answer.rows == [{"retried": len(retried)}]
    assert answer.code == (DONE if retried else NOTHING)
    with failing.kernelset.open() as storage:
        failed_stages = {failure.stage.value for failure in storage.ledger.failures()}
    assert failed_stages == {"clone", "extract"} - set(retried)


def test_it_says_how_to_go_on(failing: Failing) -> None:
    answer = failing.kernelset.run("retry")
    assert answer.out.startswith("1 tasks are ready again: run the same")
    answer = failing.kernelset.run("retry")
    assert (answer.code, answer.out) == (NOTHING, "nothing to retry\n")
