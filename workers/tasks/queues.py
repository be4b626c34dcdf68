"""Queue names: one for each ability that a worker may have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Final

from crawler.errors import Misconfigured
from storage.ledger.interface import Lane, Stage

_RUN_PREFIX: Final = "validate."
_JUDGE_PREFIX: Final = "judge."
_GPU_RUNTIMES: Final = (".rocm", ".cuda")
"""What queues of GPUs have in their names."""
_QUEUE_NAMES: Final = {Stage.VALIDATE: "validate.build"}
"""Queues that are not called like their stage."""


def queue_of(stage: Stage, device: str = "") -> str:
    """Return the queue of a stage's tasks.

    `device`, such as `rocm:gfx942`, says where they must run; empty for anywhere.
    """
    if device:
        prefix = _JUDGE_PREFIX if stage is Stage.JUDGE else _RUN_PREFIX
        return prefix + device.replace(":", ".")
    return _QUEUE_NAMES.get(stage, stage.value)


def list_run_queues(devices: Collection[str]) -> tuple[str, ...]:
    """Return the queues in which kernels are run for `devices`; none for no device.

    A GPU is given the cases that a run on a CPU found, so that queue is needed, too.
    """
    gpu_queues = [
        queue_of(Stage.VALIDATE_DEVICE, device) for device in devices if device != "cpu"
    ]
    is_run = bool(gpu_queues) or "cpu" in devices
    cpu_queues = [queue_of(Stage.VALIDATE_CPU)] if is_run else []
    return tuple(dict.fromkeys(cpu_queues + gpu_queues))


def iter_gpus(queues: Iterable[str]) -> Iterator[str]:
    """Yield the GPUs, such as `rocm:gfx942`, whose queues are among `queues`."""
    for queue in queues:
        if stage_of(queue) is Stage.VALIDATE_DEVICE:
            yield queue.removeprefix(_RUN_PREFIX).replace(".", ":", 1)


def stage_of(queue: str) -> Stage:
    """Return the stage whose tasks a queue has."""
    for stage in Stage:
        if queue == queue_of(stage):
            return stage
    is_judging = queue.startswith(_JUDGE_PREFIX)
    return Stage.JUDGE if is_judging else Stage.VALIDATE_DEVICE


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
    if any(runtime in pattern for runtime in _GPU_RUNTIMES):
        advice = "name its GPU by --gpu 0, and see `kernelset doctor`"
    return Misconfigured(
        f"this machine cannot serve {pattern}; "
        f"it can serve {', '.join(available) or 'nothing'}: {advice}",
        code="cannot-serve",
    )
