"""Events that a worker process reports to its parent, one JSON object a line."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import msgspec

from crawler.codec import decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEnded:
    """A task that this worker is done with, for now or for good."""

    stage: str
    subject: str
    state: str
    """`done`, `rejected`, `failed`, `again` (by whoever claims it next) or `stopped`."""
    seconds: float
    code: str = ""
    message: str = ""


def emit_event(event: TaskEnded) -> None:
    """Write an event to standard output."""
    sys.stdout.write(encode(event).decode() + "\n")
    sys.stdout.flush()


def parse_event(line: bytes) -> TaskEnded | None:
    """Return the event of a line; `None` for what is none."""
    try:
        return decode(line, TaskEnded)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
