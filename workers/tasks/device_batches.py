"""Create the tasks that run on devices what ran on the CPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crawler.codec import decode
from crawler.validate.devices.device_validation import is_gpu_name
from crawler.validate.devices.gpu_detection import find_gpu
from storage.ledger.interface import Stage, TaskSpec
from workers.tasks.payloads import DevicePayload, RunResult
from workers.tasks.task_specs import make_task_spec

if TYPE_CHECKING:
    from storage.open import Storage


def make_device_batches(
    result: RunResult, devices: Sequence[str], subject: str
) -> Iterator[TaskSpec]:
    """Yield a task for each GPU among `devices`.

    One that is only named by its vendor stands for that vendor's GPU of this machine.
    """
    gpus: list[str] = []
    for device in devices:
        # `rocm` and `rocm:gfx942` may be one and the same GPU
        gpu = resolve_device_arch(device) if is_gpu_name(device) else ""
        if gpu and gpu not in gpus:
            gpus.append(gpu)

    for gpu in gpus:
        payload = DevicePayload(kernels=result.kernels, runs=result.runs, device=gpu)
        title = f"{subject} on {gpu}"
        yield make_task_spec(Stage.VALIDATE_DEVICE, payload, title, device=gpu)


def find_missing_device_batches(
    storage: Storage, crawl: str, devices: Sequence[str]
) -> tuple[TaskSpec, ...]:
    """Return the tasks for devices of all that a crawl has run on the CPU; some may be there."""
    if not any(map(is_gpu_name, devices)):
        return ()

    tasks: list[TaskSpec] = []
    for subject, encoded_result in storage.ledger.results(Stage.VALIDATE_CPU, crawl):
        result = decode(encoded_result, RunResult)
        tasks += make_device_batches(result, devices, subject)

    return tuple(tasks)


def resolve_device_arch(device: str) -> str:
    """Return a device with its arch, where a GPU of this machine tells it."""
    # `rocm:gfx942` says its arch itself
    if ":" in device:
        return device

    gpu = find_gpu(device)
    return gpu.device if gpu else device
