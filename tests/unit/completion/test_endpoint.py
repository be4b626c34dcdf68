"""An endpoint that answers, and one that does whatever servers do: in bounded time, and the key
nowhere.
"""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from crawler.completion.chat import ChatAnswer, ChatMessage, ChatParameters, ChatRequest
from crawler.completion.endpoint import Endpoint, EndpointError, EndpointOptions
from crawler.errors import Misconfigured
from tests.servers.model import Reply, cut, drip, hang, pour, refuse, serve_model

KEY = "sk-0123456789abcdef"
REQUEST = ChatRequest(
    model="m",
    messages=(ChatMessage(role="user", content="é?"),),
    parameters=ChatParameters(max_tokens=50, temperature=0.5),
)


def ask(
    *replies: str | Reply, seconds: float = 30.0, tries: int = 3
) -> tuple[ChatAnswer | EndpointError, int, list[float]]:
    """Return the answer or the error, how often the server was asked, and what was waited."""
    waits: list[float] = []
    with serve_model(*replies) as (address, model):
        options = EndpointOptions(
            address=address, key=KEY, seconds=seconds, tries=tries
        )
        endpoint = Endpoint(options, waits.append)
        try:
            result: ChatAnswer | EndpointError = endpoint.ask(REQUEST)
        except EndpointError as problem:
            result = problem
        assert KEY not in str(result)
        return result, len(model.requests), waits


def test_an_answer_comes_with_what_it_took() -> None:
    with serve_model("hello") as (address, model):
        options = EndpointOptions(address=address + "/", key=KEY)
        answer = Endpoint(options).ask(REQUEST)
    assert answer == ChatAnswer(
        text="hello",
        tokens_in=100,
        tokens_out=10,
        model="scripted-1",
        finish_reason="stop",
    )
    assert model.keys == [f"Bearer {KEY}"]
    assert model.requests == [
        {
            "model": "m",
            "messages": [{"role": "user", "content": "é?"}],
            "max_tokens": 50,
            "stream": False,
            "temperature": 0.5,
        }
    ]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuse(500, "out of memory"), "endpoint-failed"),
        (refuse(408), "endpoint-failed"),
        (refuse(429), "endpoint-busy"),
        (refuse(200, "<html>rubbish"), "endpoint-rubbish"),
        (refuse(200, '{"choices": []}'), "endpoint-rubbish"),
        (refuse(200, "[" * 100_000), "endpoint-rubbish"),
        (refuse(200, '{"choices": [{"message": {"content": 7}}]}'), "endpoint-rubbish"),
        (cut, "endpoint-unreachable"),
    ],
)
def test_what_may_pass_is_asked_again_and_then_given_up(
    reply: Reply, code: str
) -> None:
    problem, request_count, waits = ask(reply)
    assert isinstance(problem, EndpointError)
    assert (problem.code, request_count, waits) == (code, 3, [1.0, 2.0])

    answer, request_count, _ = ask(reply, "at last")
    assert isinstance(answer, ChatAnswer)
    assert (answer.text, request_count) == ("at last", 2)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuse(401, f"bad key {KEY}"), "endpoint-key"),
        (refuse(404, "no such model"), "endpoint-unknown"),
        (refuse(400, "too long"), "endpoint-refused"),
        (refuse(307, location="http://127.0.0.1:9/"), "endpoint-refused"),
        (pour, "endpoint-too-large"),
    ],
)
def test_what_stays_is_asked_once(reply: Reply, code: str) -> None:
    problem, request_count, _ = ask(reply)
    assert isinstance(problem, EndpointError)
    assert (problem.code, request_count) == (code, 1)


@pytest.mark.parametrize("reply", [hang, drip])
def test_one_that_hangs_or_drips_takes_its_seconds(reply: Reply) -> None:
    started_at = time.monotonic()
    problem, request_count, _ = ask(reply, seconds=0.5, tries=2)
    assert isinstance(problem, EndpointError)
    assert (problem.code, request_count) == ("endpoint-silent", 2)
    assert time.monotonic() - started_at < 20


def test_nobody_listens() -> None:
    endpoint = Endpoint(EndpointOptions(address="http://127.0.0.1:9", tries=1))
    with pytest.raises(EndpointError, match="could not be asked") as caught:
        endpoint.ask(REQUEST)
    assert caught.value.code == "endpoint-unreachable"


def test_the_server_says_how_long_to_wait() -> None:
    _, _, waits = ask(refuse(429, retry_after="7"), "now")
    assert waits == [7.0]
    date = formatdate(time.time() + 30, usegmt=True)
    _, _, (wait,) = ask(refuse(503, retry_after=date), "now")
    assert 20 < wait <= 30
    for nonsense in ("soon", "-3", "nan", "inf"):
        _, _, waits = ask(refuse(429, retry_after=nonsense), "now")
        assert waits == [1.0]


def test_one_that_wants_an_hour_is_left_alone() -> None:
    problem, request_count, waits = ask(refuse(429, retry_after="3600"), "never")
    assert isinstance(problem, EndpointError)
    assert (problem.code, request_count, waits) == ("endpoint-busy", 1, [])


def test_a_key_that_comes_back_is_taken_out() -> None:
    answer, _, _ = ask(f"your key is {KEY}")
    assert isinstance(answer, ChatAnswer)
    assert answer.text == "your key is ********"


def test_tokens_are_estimated_where_nobody_counts() -> None:
    content = '{"choices": [{"message": {"content": "12345678"}}]}'
    answer, _, _ = ask(refuse(200, content))
    assert isinstance(answer, ChatAnswer)
    assert answer.tokens_in > 10
    assert answer.tokens_out == 2


@pytest.mark.parametrize(
    ("address", "key"),
    [("", ""), ("ftp://host/v1", ""), ("http://", ""), ("http://h", "a\nb")],
)
def test_settings_that_cannot_work_are_refused(address: str, key: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        Endpoint(EndpointOptions(address=address, key=key))
    assert caught.value.code == "bad-endpoint"
