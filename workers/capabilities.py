"""What this machine can serve, found by looking and never assumed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import Final

from crawler import sandbox, toolchain
from crawler.errors import Misconfigured
from storage.ledger import Stage
from workers.queues import chosen, queue_of

_ALWAYS: Final = (Stage.LIST, Stage.LINK, Stage.PORT)
_RUNTIMES: Final = ("rocm", "cuda")


def serving(patterns: Iterable[str], gpu: int | None = None) -> tuple[str, ...]:
    """Return the queues that `patterns` name of those that this machine, or one GPU of it, can serve.

    Raises `Misconfigured` where one names none.
    """
    return chosen(patterns, served() if gpu is None else served_by_gpu(gpu))


def served() -> tuple[str, ...]:
    """Return the queues that this machine can serve without a GPU of its own."""
    return tuple(_served())


def served_by_gpu(ordinal: int) -> tuple[str, ...]:
    """Return the queues of one GPU; raises `Misconfigured` where there is none."""
    from crawler.validate.devices.gpu import gpus

    found = [gpu for runtime in _RUNTIMES for gpu in gpus(runtime) if gpu.index == ordinal]
    if not found:
        raise Misconfigured(f"this machine has no GPU {ordinal} that opens: see `kernelset doctor`", code="no-gpu")
    return tuple(queue_of(Stage.VALIDATE, gpu.device) for gpu in found)


def _served() -> Iterator[str]:
    isolated, compiler = sandbox.self_test().works, toolchain.clang() is not None
    for stage in Stage:
        if stage in _ALWAYS or _serves(stage, isolated=isolated, compiler=compiler):
            yield queue_of(stage)


def _serves(stage: Stage, *, isolated: bool, compiler: bool) -> bool:
    able = {
        "clone": shutil.which("git") is not None,
        "build-db": isolated,
        "extract": toolchain.libclang_resource_dir() is not None,
        "validate": compiler,
        "validate.cpu": compiler and isolated,
    }
    return able.get(stage.value, False)
