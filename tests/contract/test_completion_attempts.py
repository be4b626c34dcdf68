"""What the book of attempts promises on either database: whole, in order, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.completion.attempt_book import AttemptBook
from crawler.completion.chat import (
    ChatAnswer,
    ChatMessage,
    ChatParameters,
    ChatRequest,
    KeptAnswer,
)
from crawler.model import AttemptVerdict, CompletionAttempt
from storage.open import Storage, open_storage

ATTEMPT = CompletionAttempt(
    series="s",
    kernel="0123/k",
    unit="u",
    purpose="repair",
    number=1,
    model="m",
    parameters="{}",
    prompt="[é]",
    answer="a\n" * 5000,
    source="int a; // \udcff",
    tokens_in=3,
    tokens_out=4,
    cost=0.5,
    pass_call={"gfx90a": "pass"},
    pass_exe={"cpu": "fail"},
    verdict=AttemptVerdict.WRONG,
    messages="out[3]",
    seconds=1.5,
    attempted_at=7.0,
)
REQUEST = ChatRequest(
    model="m",
    messages=(ChatMessage(role="user", content="why"),),
    parameters=ChatParameters(max_tokens=10),
)
KEPT = KeptAnswer(answer=ChatAnswer(text="é", tokens_in=1, tokens_out=2), cost=0.25)


@pytest.fixture(params=["sqlite", "postgres"])
def storage(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    empty_database: Callable[[], str],
) -> Iterator[Storage]:
    database = empty_database() if request.param == "postgres" else ""
    with open_storage(tmp_path, database=database) as opened:
        yield opened


def test_attempts_come_back_whole_and_in_order(storage: Storage) -> None:
    book: AttemptBook = storage.attempts
    other = replace(ATTEMPT, series="t", number=1, code="endpoint-busy", answer="")
    attempts = [replace(ATTEMPT, number=number) for number in range(1, 103)]
    for attempt in (*attempts, other, replace(ATTEMPT, kernel="4567/k", series="v")):
        book.add_attempt(attempt)
    assert book.list_attempts("s") == attempts
    assert list(book.iter_attempts("0123/k")) == [*attempts, other]
    assert book.list_attempts("none") == []


def test_an_answer_is_kept_by_its_question(storage: Storage) -> None:
    book: AttemptBook = storage.attempts
    assert book.find_answer(REQUEST) is None
    book.add_answer(REQUEST, KEPT, unit="u")
    book.add_answer(REQUEST, KEPT, unit="u")
    assert book.find_answer(REQUEST) == KEPT
    assert book.find_answer(replace(REQUEST, model="n")) is None


def test_garbage_collection_keeps_their_texts(storage: Storage) -> None:
    storage.attempts.add_attempt(ATTEMPT)
    storage.attempts.add_answer(REQUEST, KEPT, unit="u")
    storage.collect_garbage(grace_seconds=0, task_seconds=0)
    assert storage.attempts.list_attempts("s") == [ATTEMPT]
    assert storage.attempts.find_answer(REQUEST) == KEPT
