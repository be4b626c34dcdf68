"""Kernels in words: of the form that is asked for, and vetted by a second model that says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.completion.budget import BudgetSpent
from crawler.completion.description_subject import DescriptionSubject
from crawler.completion.prompt_files import load_prompts
from crawler.judging.judge_program import JudgeOptions
from storage.open import Storage, open_storage
from tests.plain import plain_unit
from tests.servers.model import refuse, serve_model
from workers.completion.completion_run import CompletionRun
from workers.completion.purposes.describe import PLUGIN as DESCRIBE
from workers.config.settings import Settings

GOOD = "# Instruction\nWrite `k`.\n# Description\nIt does nothing."
SUBJECT = DescriptionSubject(
    kernel="0/k",
    unit=plain_unit("__global__ void k() {}\n"),
    problem="no description",
    facts="Write the kernel.",
    solution=" {}\n",
)


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as opened:
        yield opened


def open_run(
    storage: Storage,
    address: str,
    vetting_model: str = "",
    tokens: int = 0,
    vetting_price: float | None = None,
) -> CompletionRun:
    settings = Settings(
        completion_endpoint=address,
        completion_model="first",
        completion_vetting_model=vetting_model,
        completion_tries=1,
        completion_answer_tokens=100,
        completion_tokens=tokens,
        completion_input_price=1_000_000,
        completion_vetting_input_price=vetting_price,
    )
    return CompletionRun(
        DESCRIBE,
        settings,
        storage.attempts,
        load_prompts(DESCRIBE.placeholders),
        JudgeOptions(),
        attempts=3,
    )


def test_a_bad_form_is_told_and_mended_without_a_second_model(storage: Storage) -> None:
    with serve_model("It does nothing.", "No headings.", GOOD) as (address, model):
        shown_attempts = list(open_run(storage, address).run([SUBJECT]))
        again = list(open_run(storage, address).run([SUBJECT]))
    verdicts = [attempt.attempt.verdict.value for attempt in shown_attempts]
    assert verdicts == ["malformed", "written"]
    assert "two headings" in model.requests[1]["messages"][-1]["content"]
    assert [attempt.attempt for attempt in again] == [
        attempt.attempt for attempt in shown_attempts
    ]
    assert len(model.requests) == 3


def test_a_second_model_objects_and_says_why(storage: Storage) -> None:
    replies = (
        GOOD,
        "**REJECT**: it says nothing of bounds.",
        "I left bounds out.",
        f"{GOOD} It has no bounds.",
        "Accept. All is said.",
    )
    with serve_model(*replies) as (address, model):
        shown_attempts = list(open_run(storage, address, "second").run([SUBJECT]))
        again = list(open_run(storage, address, "second").run([SUBJECT]))
    attempts = [attempt.attempt for attempt in shown_attempts]
    assert [(attempt.verdict.value, attempt.messages) for attempt in attempts] == [
        ("objected", "it says nothing of bounds."),
        ("vetted", "All is said."),
    ]
    # of the description and its vetting, then of the reflection, too
    assert [attempt.tokens_in for attempt in attempts] == [200, 300]
    assert [request["model"] for request in model.requests] == [
        "first",
        "second",
        "first",
        "first",
        "second",
    ]
    assert GOOD in model.requests[1]["messages"][1]["content"]
    assert "nothing of bounds" in model.requests[3]["messages"][-1]["content"]
    assert [attempt.attempt for attempt in again] == attempts
    assert len(model.requests) == 5


def test_who_does_not_decide_accepts_nothing(storage: Storage) -> None:
    replies = (GOOD, "Looks fine to me.", "hm", f"{GOOD} Nothing.", "ACCEPT")
    with serve_model(*replies) as (address, _):
        shown_attempts = list(open_run(storage, address, "second").run([SUBJECT]))
    assert [attempt.attempt.verdict.value for attempt in shown_attempts] == [
        "objected",
        "vetted",
    ]
    assert "did not decide: Looks fine" in shown_attempts[0].attempt.messages


def test_a_second_model_that_fails_is_asked_again_alone(storage: Storage) -> None:
    with serve_model(GOOD, refuse(500), "ACCEPT: good.") as (address, model):
        (failed,) = open_run(storage, address, "second").run([SUBJECT])
        run = open_run(storage, address, "second")
        (shown_attempts,) = run.run([SUBJECT])
    assert failed.attempt.code == "endpoint-failed"
    assert failed.attempt.verdict.value == "none"
    assert (shown_attempts.attempt.verdict.value, shown_attempts.attempt.messages) == (
        "vetted",
        "good.",
    )
    assert [request["model"] for request in model.requests] == [
        "first",
        "second",
        "second",
    ]
    assert (run.chat.asked, run.chat.reused) == (1, 1)


def test_the_budget_holds_for_the_second_model_too(storage: Storage) -> None:
    with serve_model(GOOD + "." * 5000, "ACCEPT") as (address, model):
        with pytest.raises(BudgetSpent):
            list(open_run(storage, address, "second", tokens=4000).run([SUBJECT]))
        assert len(model.requests) == 1
        (shown_attempts,) = open_run(storage, address, "second").run([SUBJECT])
    assert shown_attempts.attempt.verdict.value == "vetted"
    assert len(model.requests) == 2


def test_what_was_written_before_is_vetted_without_asking_the_first_again(
    storage: Storage,
) -> None:
    with serve_model("No headings.", "I see.", GOOD, "ACCEPT: so it is.") as (
        address,
        model,
    ):
        written = list(open_run(storage, address).run([SUBJECT]))
        run = open_run(storage, address, "second")
        vetted = list(run.run([SUBJECT]))
    assert [attempt.attempt.verdict.value for attempt in written] == [
        "malformed",
        "written",
    ]
    assert [attempt.attempt.verdict.value for attempt in vetted] == [
        "malformed",
        "vetted",
    ]
    assert [attempt.attempt.answer for attempt in vetted] == [
        attempt.attempt.answer for attempt in written
    ]
    assert [request["model"] for request in model.requests] == [
        *["first"] * 3,
        "second",
    ]
    assert run.chat.asked == 1


@pytest.mark.parametrize(
    ("vetting_price", "cost"), [(None, 200.0), (0.0, 100.0), (3_000_000.0, 400.0)]
)
def test_a_second_model_has_its_own_price(
    storage: Storage, vetting_price: float | None, cost: float
) -> None:
    with serve_model(GOOD, "ACCEPT") as (address, _):
        run = open_run(storage, address, "second", vetting_price=vetting_price)
        (shown_attempts,) = run.run([SUBJECT])
    assert shown_attempts.attempt.tokens_in == 200
    assert shown_attempts.attempt.cost == run.budget.spent_money == cost
