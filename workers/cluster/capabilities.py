"""Detect which queues this machine can serve."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import Final

from crawler import sandbox
from crawler.errors import Misconfigured
from crawler.toolchains import discovery
from storage.ledger.interface import Stage
from workers.tasks.queues import match_queues, queue_of

_ALWAYS: Final = (Stage.LIST, Stage.LINK, Stage.PORT)
_RUNTIMES: Final = ("rocm", "cuda")


def select_queues(patterns: Iterable[str], gpu: int | None = None) -> tuple[str, ...]:
    """Return the queues that `patterns` name of those that this machine, or one GPU of it, can
    serve.

    Raises `Misconfigured` where one names none.
    """
    return match_queues(
        patterns, servable_queues() if gpu is None else servable_gpu_queues(gpu)
    )


def servable_queues() -> tuple[str, ...]:
    """Return the queues that this machine can serve without a GPU of its own."""
    return tuple(_served())


def servable_gpu_queues(ordinal: int) -> tuple[str, ...]:
    """Return the queues of one GPU; raises `Misconfigured` where there is none."""
    from crawler.validate.devices.gpu_detection import detect_gpus

    found = [
        gpu
        for runtime in _RUNTIMES
        for gpu in detect_gpus(runtime)
        if gpu.index == ordinal
    ]
    if not found:
        raise Misconfigured(
            f"this machine has no GPU {ordinal} that opens: see `kernelset doctor`",
            code="no-gpu",
        )
    return tuple(queue_of(Stage.VALIDATE, gpu.device) for gpu in found)


def _served() -> Iterator[str]:
    isolated, compiler = (
        sandbox.run_self_test().works,
        discovery.find_clang() is not None,
    )
    for stage in Stage:
        if stage in _ALWAYS or _serves(stage, isolated=isolated, compiler=compiler):
            yield queue_of(stage)


def _serves(stage: Stage, *, isolated: bool, compiler: bool) -> bool:
    able = {
        "clone": shutil.which("git") is not None,
        "build-db": isolated,
        "extract": discovery.find_libclang_resource_dir() is not None,
        "validate": compiler,
        "validate.cpu": compiler and isolated,
    }
    return able.get(stage.value, False)
