"""Turns of a conversation, as a stranger's server may read them."""

from __future__ import annotations

from collections import Counter

from crawler.completion.chat import ChatMessage
from crawler.dataset.redaction.sensitive_text import redact_text


def make_turn(role: str, text: str) -> ChatMessage:
    """Return a turn with a text that is clean."""
    return ChatMessage(role=role, content=clean_text(text))


def clean_text(text: str) -> str:
    """Return a text in Unicode, without secrets and personal data."""
    readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return redact_text(readable, Counter())
