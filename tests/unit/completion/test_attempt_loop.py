"""The loop of tries: bounded, recorded at once, and gone on with where it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.completion.attempt_loop import AttemptLoop, LoopOptions
from crawler.completion.budget import Budget, BudgetSpent, Prices
from crawler.completion.chat import ChatAnswer, ChatParameters, ChatRequest
from crawler.completion.endpoint import EndpointError
from crawler.completion.kept_chat import KeptChat
from crawler.completion.prompt_files import load_prompts
from crawler.completion.purpose import Check, Checker, CheckTools
from crawler.completion.repair_subject import RepairSubject
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_task import JudgingTask
from crawler.model import AttemptVerdict, CompletionAttempt
from storage.open import Storage, open_storage
from tests.plain import plain_unit
from workers.completion.purposes.repair import Repair

UNIT = replace(
    plain_unit(""),
    source="__global__ void k() {} // by ada@lovelace-family.org, \udcff\n",
)
SUBJECT = RepairSubject(
    kernel="0123/k",
    unit=UNIT,
    original=None,
    targets=("sm_80",),
    problem="no such word",
    task=JudgingTask(task_id="0123/k", test="", language="cuda", files={}),
)
VERDICTS = {"right": AttemptVerdict.RIGHT, "wrong": AttemptVerdict.WRONG}


class Scripted:
    """A model that answers in order, or raises."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []

    def ask(self, request: ChatRequest) -> ChatAnswer:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return ChatAnswer(text=answer, tokens_in=10, tokens_out=5)


def check(subject: RepairSubject, answer: str) -> Check:
    verdict = VERDICTS.get(answer, AttemptVerdict.BROKEN)
    return Check(verdict=verdict, source=answer, messages=f"of {answer}")


class ScriptedRepair(Repair):
    """Asks as `repair` does, and compiles nothing."""

    def make_checker(self, tools: CheckTools) -> Checker[RepairSubject]:
        return check


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as opened:
        yield opened


def make_loop(
    storage: Storage,
    model: Scripted,
    *,
    attempts: int = 3,
    tokens: int = 0,
    purpose: Repair | None = None,
) -> AttemptLoop[RepairSubject]:
    prices = Prices(input=1_000_000, output=2_000_000)
    budget = Budget(tokens=tokens, money=0, prices=prices)
    parameters = ChatParameters(max_tokens=100)
    options = LoopOptions(model="m", parameters=parameters, attempts=attempts)
    tools = CheckTools(
        chat=KeptChat(model, budget, storage.attempts),
        prompts=load_prompts(Repair.placeholders),
        parameters=parameters,
        judge=JudgeOptions(),
    )
    return AttemptLoop(purpose or ScriptedRepair(), tools, storage.attempts, options)


def run(
    storage: Storage, *answers: str | Exception, attempts: int = 3
) -> tuple[list[CompletionAttempt], list[ChatRequest]]:
    model = Scripted(*answers)
    made = list(make_loop(storage, model, attempts=attempts).run(SUBJECT))
    return made, model.requests


def test_it_ends_with_what_comes_through(storage: Storage) -> None:
    made, requests = run(storage, "broken", "I see", "right", "never asked")
    assert [(attempt.number, attempt.verdict.value) for attempt in made] == [
        (1, "broken"),
        (2, "right"),
    ]
    assert made[1].reflection == "I see"
    assert (made[1].tokens_in, made[1].tokens_out, made[1].cost) == (20, 10, 40)
    assert len(requests) == 3
    assert "of broken" in requests[1].messages[-1].content
    assert "I see" in requests[2].messages[-1].content
    assert list(storage.attempts.iter_attempts("0123/k")) == made
    assert run(storage) == ([], [])


def test_it_ends_after_so_many_tries_and_goes_on_with_more(storage: Storage) -> None:
    made, _ = run(storage, "a", "hm", "b", attempts=2)
    assert [attempt.answer for attempt in made] == ["a", "b"]
    assert run(storage, attempts=2) == ([], [])
    made, requests = run(storage, "hm", "c", attempts=3)
    assert [(attempt.number, attempt.answer) for attempt in made] == [(3, "c")]
    # the last answer alone: what led to it is in it
    assert [
        turn.content for turn in requests[1].messages if turn.role == "assistant"
    ] == ["b"]


def test_a_model_that_says_the_same_again_is_asked_each_time(storage: Storage) -> None:
    made, requests = run(storage, *["same"] * 5)
    assert len(made) == 3
    assert len({request.digest for request in requests}) == len(requests) == 5


def test_an_error_is_a_row_and_not_one_of_the_tries(storage: Storage) -> None:
    problem = EndpointError("busy: later", code="endpoint-busy")
    made, _ = run(storage, "a", problem)
    assert [(attempt.code, attempt.problem, attempt.number) for attempt in made] == [
        ("", "", 1),
        ("endpoint-busy", "busy: later", 2),
    ]
    made, _ = run(storage, "hm", problem)
    # the reflection was paid for
    assert (made[0].reflection, made[0].tokens_in) == ("hm", 10)
    made, requests = run(storage, "right")
    assert [(attempt.number, attempt.verdict.value) for attempt in made] == [
        (2, "right")
    ]
    assert len(requests) == 1
    assert len(list(storage.attempts.iter_attempts("0123/k"))) == 4


def test_an_answer_that_was_kept_is_judged_after_a_kill(storage: Storage) -> None:
    class Killed(BaseException):
        """Ends all."""

    def die(subject: RepairSubject, answer: str) -> Check:
        raise Killed

    class Deadly(Repair):
        def make_checker(self, tools: CheckTools) -> Checker[RepairSubject]:
            return die

    loop = make_loop(storage, Scripted("right"), purpose=Deadly())
    with pytest.raises(Killed):
        list(loop.run(SUBJECT))
    assert not list(storage.attempts.iter_attempts("0123/k"))

    made, requests = run(storage)
    assert ([attempt.verdict.value for attempt in made], requests) == (["right"], [])


def test_a_budget_ends_it_before_it_asks(storage: Storage) -> None:
    model = Scripted("a")
    with pytest.raises(BudgetSpent):
        list(make_loop(storage, model, tokens=200).run(SUBJECT))
    assert model.requests == []


def test_what_is_sent_is_unicode_and_without_personal_data(storage: Storage) -> None:
    _, requests = run(storage, "right")
    text = requests[0].messages[1].content
    assert "lovelace" not in text
    assert "<redacted:" in text
    text.encode()
