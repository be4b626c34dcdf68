"""Queue names: one for each ability that a worker may have."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from crawler.errors import Misconfigured
from storage.ledger.interface import Lane, Stage

_DEVICES: Final = ("validate.rocm", "validate.cuda")
_ADVICE: Final = {
    False: "see `kernelset doctor`",
    True: "name its GPU by --gpu 0, and see `kernelset doctor`",
}
_NAMES: Final = {Stage.VALIDATE: "validate.build"}


def queue_of(stage: Stage, device: str = "") -> str:
    """Return the queue of a stage's tasks; `device`, such as `rocm:gfx942`, is where they must
    run, if anywhere.
    """
    if device:
        return f"validate.{device.replace(':', '.')}"
    return _NAMES.get(stage, stage.value)


def stage_of(queue: str) -> Stage:
    """Return the stage whose tasks a queue has."""
    found = next((stage for stage in Stage if queue == queue_of(stage)), None)
    return found or Stage.VALIDATE_DEVICE


def broker_queue(lane: Lane) -> str:
    """Return what the broker calls a lane: workers of two revisions are sent nothing that only
    the other may do.
    """
    return "@".join(filter(None, lane))


def match_queues(patterns: Iterable[str], available: Iterable[str]) -> tuple[str, ...]:
    """Return those of `available` that the patterns name, all without one; raises
    `Misconfigured` where one names none.
    """
    found = tuple(available)
    wanted = tuple(patterns) or ("*",)
    for pattern in wanted:
        if not any(fnmatchcase(queue, pattern) for queue in found):
            raise Misconfigured(
                f"this machine cannot serve {pattern}; it can serve {', '.join(found) or 'nothing'}: "
                f"{_ADVICE[pattern.startswith(_DEVICES)]}",
                code="cannot-serve",
            )
    return tuple(
        queue
        for queue in found
        if any(fnmatchcase(queue, pattern) for pattern in wanted)
    )
