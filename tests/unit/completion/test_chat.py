"""A question is known by all that decides on its answer."""

from __future__ import annotations

from dataclasses import replace

from crawler.completion.chat import ChatMessage, ChatParameters, ChatRequest

REQUEST = ChatRequest(
    model="m",
    messages=(ChatMessage(role="user", content="why"),),
    parameters=ChatParameters(max_tokens=10),
)


def test_the_same_question_has_the_same_digest_and_another_one_another() -> None:
    other_requests = [
        replace(REQUEST, model="n"),
        replace(REQUEST, messages=(ChatMessage(role="system", content="why"),)),
        replace(REQUEST, messages=REQUEST.messages * 2),
        replace(REQUEST, parameters=ChatParameters(max_tokens=11)),
        replace(REQUEST, parameters=ChatParameters(max_tokens=10, temperature=0.0)),
    ]
    digests = {request.digest for request in (REQUEST, *other_requests)}
    assert len(digests) == 6
    assert replace(REQUEST).digest == REQUEST.digest
