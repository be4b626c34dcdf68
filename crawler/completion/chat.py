"""A question to a model and its answer, in the words of OpenAI's chat completions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from crawler.codec import encode


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One turn of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatParameters:
    """What decides on an answer besides the conversation."""

    max_tokens: int
    """Of the answer."""
    temperature: float | None = None
    """`None` leaves it to the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question."""

    model: str
    messages: tuple[ChatMessage, ...]
    parameters: ChatParameters

    @property
    def digest(self) -> str:
        """Sha256 of all of it, by which its answer is kept."""
        return hashlib.sha256(encode(self)).hexdigest()

    def count_most_tokens(self) -> int:
        """Return how many tokens it takes at most, the answer's included.

        No tokenizer makes more tokens of a text than it has bytes, and a turn costs a few more.
        """
        size = sum(
            len(message.content.encode("utf-8", "surrogatepass"))
            for message in self.messages
        )
        return size + 16 * (len(self.messages) + 1) + self.parameters.max_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What a server answered."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str = ""
    """As the server names it."""
    finish_reason: str = ""
    """`stop`, or `length` where it was cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer that was paid for, once."""

    answer: ChatAnswer
    cost: float
