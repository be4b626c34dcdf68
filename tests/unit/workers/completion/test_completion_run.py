"""A run as the settings have it: refused without a model, and ended where the endpoint is down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.completion.prompt_files import load_prompts
from crawler.completion.purpose import Check, Checker, CheckTools
from crawler.completion.repair_subject import RepairSubject
from crawler.errors import Misconfigured
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_task import JudgingTask
from crawler.model import AttemptVerdict
from storage.open import Storage, open_storage
from tests.plain import plain_unit
from tests.servers.model import refuse, serve_model
from workers.completion.completion_run import CompletionRun, ShownAttempt
from workers.completion.purposes.repair import Repair
from workers.config.settings import Settings

MODEL = {"completion_model": "m", "completion_tries": 1, "completion_key": "k"}
SUBJECT = RepairSubject(
    kernel="0/k",
    unit=plain_unit("__global__ void k() {}\n"),
    original=None,
    targets=("sm_80",),
    problem="no such word",
    task=JudgingTask(task_id="0/k", test="", language="cuda", files={}),
)
SUBJECTS = [
    # one question about the same would be asked once
    replace(SUBJECT, kernel=f"{number}/k", problem=f"no such word in line {number}")
    for number in range(5)
]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as opened:
        yield opened


class AcceptedRepair(Repair):
    """Asks as `repair` does, and compiles nothing."""

    def make_checker(self, tools: CheckTools) -> Checker[RepairSubject]:
        return accept


def accept(subject: RepairSubject, answer: str) -> Check:
    return Check(verdict=AttemptVerdict.COMPILES, source=answer)


def open_run(storage: Storage, **values: Any) -> CompletionRun:
    settings = Settings(**values)
    return CompletionRun(
        AcceptedRepair(),
        settings,
        storage.attempts,
        load_prompts(Repair.placeholders),
        JudgeOptions(),
        attempts=2,
    )


def list_codes(shown: Iterator[ShownAttempt]) -> list[str]:
    return [attempt.attempt.code for attempt in shown]


def test_nobody_is_asked_unless_the_settings_say_whom(storage: Storage) -> None:
    with pytest.raises(Misconfigured, match="KERNELSET_COMPLETION_MODEL") as caught:
        open_run(storage, completion_endpoint="http://h/v1")
    assert caught.value.code == "no-model"


def test_a_limit_in_money_needs_prices(storage: Storage) -> None:
    values = {**MODEL, "completion_endpoint": "http://h/v1", "completion_money": 1.0}
    with pytest.raises(Misconfigured) as caught:
        open_run(storage, **values)
    assert caught.value.code == "no-prices"
    open_run(storage, **values, completion_output_price=1.0)


def test_an_endpoint_that_is_down_ends_the_run(storage: Storage) -> None:
    with serve_model(refuse(500)) as (address, model):
        run = open_run(storage, **MODEL, completion_endpoint=address)
        assert list_codes(run.run(SUBJECTS)) == ["endpoint-failed"] * 3
    assert len(model.requests) == 3


def test_a_wrong_key_ends_it_at_once(storage: Storage) -> None:
    with serve_model(refuse(401)) as (address, model):
        run = open_run(storage, **MODEL, completion_endpoint=address)
        assert list_codes(run.run(SUBJECTS)) == ["endpoint-key"]
    assert len(model.requests) == 1


def test_a_question_that_is_refused_costs_its_kernel_alone(storage: Storage) -> None:
    replies = (refuse(400), "a", refuse(400), refuse(400), "b")
    with serve_model(*replies) as (address, _):
        run = open_run(storage, **MODEL, completion_endpoint=address)
        codes = list_codes(run.run(SUBJECTS))
    refused = "endpoint-refused"
    assert codes == [refused, "", refused, refused, ""]


def test_what_was_done_is_shown_and_not_asked_again(storage: Storage) -> None:
    with serve_model("a") as (address, model):
        values = {**MODEL, "completion_endpoint": address}
        first = list(open_run(storage, **values).run(SUBJECTS[:1]))
        run = open_run(storage, **values)
        again = list(run.run(SUBJECTS[:1]))
    assert [attempt.is_new for attempt in (*first, *again)] == [True, False]
    assert again[0].attempt == first[0].attempt
    assert (len(model.requests), run.chat.asked) == (1, 0)
