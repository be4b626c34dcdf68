"""Detect which queues this machine can serve."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import Final

from crawler import sandbox
from crawler.errors import Misconfigured
from crawler.toolchains import discovery, installed_libclang
from storage.ledger.interface import Stage
from workers.tasks.queues import match_queues, queue_of

_STAGES_WITHOUT_NEEDS: Final = (Stage.LIST, Stage.LINK, Stage.PORT)
"""Stages that any machine can serve: they need no tool besides Python."""
_RUNTIMES: Final = ("rocm", "cuda")
_VENDOR_COMPILERS: Final = {"rocm": "hipcc", "cuda": "nvcc"}
"""What the judge compiles candidates with."""


def select_queues(patterns: Iterable[str], gpu: int | None = None) -> tuple[str, ...]:
    """Return the queues that `patterns` name of those that this machine, or one GPU of it, can
    serve.

    Raises `Misconfigured` where one names none.
    """
    if gpu is None:
        candidates = servable_queues()
    else:
        candidates = servable_gpu_queues(gpu)

    return match_queues(patterns, candidates)


def servable_queues() -> tuple[str, ...]:
    """Return the queues that this machine can serve without a GPU of its own."""
    return tuple(_iter_servable_queues())


def servable_gpu_queues(ordinal: int) -> tuple[str, ...]:
    """Return the queues of one GPU; raises `Misconfigured` where there is none."""
    # only a worker with a GPU pays for loading the drivers' bindings
    from crawler.validate.devices.gpu_detection import detect_gpus

    queues: list[str] = []
    for runtime in _RUNTIMES:
        for gpu in detect_gpus(runtime):
            if gpu.index != ordinal:
                continue
            queues.append(queue_of(Stage.VALIDATE_DEVICE, gpu.device))
            if _can_judge(runtime):
                queues.append(queue_of(Stage.JUDGE, gpu.device))

    if not queues:
        raise Misconfigured(
            f"this machine has no GPU {ordinal} that opens: see `kernelset doctor`",
            code="no-gpu",
        )
    return tuple(queues)


def _can_judge(runtime: str) -> bool:
    """Tell whether programs for the GPUs of a runtime can be compiled and held here."""
    has_compiler = shutil.which(_VENDOR_COMPILERS[runtime]) is not None
    return has_compiler and not sandbox.explain_missing_builds()


def _iter_servable_queues() -> Iterator[str]:
    has_sandbox = sandbox.run_self_test().works
    has_compiler = discovery.find_clang() is not None

    for stage in Stage:
        if stage in _STAGES_WITHOUT_NEEDS or _can_serve(
            stage, has_sandbox=has_sandbox, has_compiler=has_compiler
        ):
            yield queue_of(stage)


def _can_serve(stage: Stage, *, has_sandbox: bool, has_compiler: bool) -> bool:
    has_git = shutil.which("git") is not None
    has_libclang = installed_libclang.find_libclang_resource_dir() is not None
    # runs on a GPU are absent on purpose: `servable_gpu_queues` names the queue of each device
    is_servable = {
        "clone": has_git,
        "build-db": has_sandbox,
        "extract": has_libclang and sandbox.can_parse(),
        "validate": has_compiler and sandbox.can_parse(),
        "validate.cpu": has_compiler and has_sandbox,
        "judge": has_compiler and not sandbox.explain_missing_builds(),
    }
    return is_servable.get(stage.value, False)
