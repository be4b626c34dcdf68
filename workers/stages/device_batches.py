"""Kernels that were run on the CPU, asked to be run on devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crawler.codec import decode
from crawler.validate.devices.gpu import gpu_for
from crawler.validate.devices.trial import is_device
from storage.ledger import Stage, TaskSpec
from workers.stages.payloads import DevicePayload, RunResult
from workers.stages.tasks import spec

if TYPE_CHECKING:
    from storage.open import Storage


def device_batches(result: RunResult, devices: Sequence[str], subject: str) -> Iterator[TaskSpec]:
    """Yield a task for each GPU among `devices`, of one that is only named by its vendor that of this machine."""
    for device in dict.fromkeys(map(exactly, filter(is_device, devices))):
        payload = DevicePayload(kernels=result.kernels, runs=result.runs, device=device)
        yield spec(Stage.VALIDATE_DEVICE, payload, f"{subject} on {device}", device=device)


def missing_batches(storage: Storage, crawl: str, devices: Sequence[str]) -> tuple[TaskSpec, ...]:
    """Return the tasks for devices of all that a crawl has run on the CPU; some may be there."""
    if not any(map(is_device, devices)):
        return ()
    done = storage.ledger.results(Stage.VALIDATE_CPU, crawl)
    return tuple(task for subject, told in done for task in device_batches(decode(told, RunResult), devices, subject))


def exactly(device: str) -> str:
    """Return a device with its arch, where a GPU of this machine tells it."""
    gpu = gpu_for(device) if ":" not in device else None
    return gpu.device if gpu else device
