"""Queue names: one for each ability that a worker may have."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from crawler.errors import Misconfigured
from storage.ledger.interface import Lane, Stage

_GPU_QUEUES: Final = ("validate.rocm", "validate.cuda")
_QUEUE_NAMES: Final = {Stage.VALIDATE: "validate.build"}
"""Queues that are not called like their stage."""


def queue_of(stage: Stage, device: str = "") -> str:
    """Return the queue of a stage's tasks.

    `device`, such as `rocm:gfx942`, says where they must run; empty for anywhere.
    """
    if device:
        return f"validate.{device.replace(':', '.')}"
    return _QUEUE_NAMES.get(stage, stage.value)


def stage_of(queue: str) -> Stage:
    """Return the stage whose tasks a queue has."""
    for stage in Stage:
        if queue == queue_of(stage):
            return stage
    return Stage.VALIDATE_DEVICE


def broker_queue(lane: Lane) -> str:
    """Return what the broker calls a lane.

    Its revision is part of the name: a worker is sent nothing that only another revision may do.
    """
    return "@".join(filter(None, lane))


def match_queues(patterns: Iterable[str], available: Iterable[str]) -> tuple[str, ...]:
    """Return those of `available` that the patterns name, or all without a pattern.

    Raises `Misconfigured` where a pattern names none.
    """
    available = tuple(available)
    patterns = tuple(patterns) or ("*",)
    for pattern in patterns:
        served_queues = _filter_queues(available, (pattern,))
        if not served_queues:
            raise _describe_unserved(pattern, available)

    return _filter_queues(available, patterns)


def _filter_queues(
    queues: tuple[str, ...], patterns: tuple[str, ...]
) -> tuple[str, ...]:
    matching = []
    for queue in queues:
        if any(fnmatchcase(queue, pattern) for pattern in patterns):
            matching.append(queue)
    return tuple(matching)


def _describe_unserved(pattern: str, available: tuple[str, ...]) -> Misconfigured:
    advice = "see `kernelset doctor`"
    if pattern.startswith(_GPU_QUEUES):
        advice = "name its GPU by --gpu 0, and see `kernelset doctor`"
    return Misconfigured(
        f"this machine cannot serve {pattern}; "
        f"it can serve {', '.join(available) or 'nothing'}: {advice}",
        code="cannot-serve",
    )
