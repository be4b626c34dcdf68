"""Each unit is run once, with the kernel whose launches tell most, in small batches."""

from __future__ import annotations

from dataclasses import replace

from crawler.codec import decode
from crawler.model import Kernel, Launch
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage
from tests.plain import HERE, plain_kernel, plain_unit
from workers.tasks.cpu_batches import (
    MAX_BATCH_KERNELS,
    load_stored_kernels,
    make_cpu_batches,
)
from workers.tasks.payloads import RunPayload

LAUNCH = Launch(span=HERE, kernel_name="k", grid="1", block="32")


def make_kernels(count: int) -> list[Kernel]:
    return [
        plain_kernel(plain_unit(f"// {number}"), name=f"k{number}")
        for number in range(count)
    ]


def make_batches(storage: Storage, kernels: list[Kernel]) -> list[TaskSpec]:
    for kernel in kernels:
        if kernel.unit:
            # `link` stores the texts of units in the index before it makes their tasks
            storage.blobs.put(kernel.unit.source.encode())
    return list(make_cpu_batches(kernels, "snapshot", storage.blobs, "mmcv 2.2.0"))


def load_batch(storage: Storage, task: TaskSpec) -> list[Kernel]:
    payload = decode(task.payload, RunPayload)
    return list(load_stored_kernels(storage.blobs, payload.kernels))


def test_batches_hold_every_kernel_once_in_order(storage: Storage) -> None:
    kernels = make_kernels(2 * MAX_BATCH_KERNELS + 1)
    tasks = make_batches(storage, kernels)
    batches = [load_batch(storage, task) for task in tasks]
    assert [len(batch) for batch in batches] == [MAX_BATCH_KERNELS] * 2 + [1]
    assert [kernel for batch in batches for kernel in batch] == kernels


def test_a_task_is_called_by_its_first_kernel(storage: Storage) -> None:
    tasks = make_batches(storage, make_kernels(MAX_BATCH_KERNELS + 1))
    assert [task.subject for task in tasks] == [
        "mmcv 2.2.0: k0 and 3 more",
        "mmcv 2.2.0: k4 and 0 more",
    ]
    assert {task.stage for task in tasks} == {Stage.VALIDATE_CPU}


def test_of_copies_the_one_with_most_launches_runs(storage: Storage) -> None:
    unit = plain_unit("__global__ void k() {}")
    silent = plain_kernel(unit, name="silent")
    launched = plain_kernel(unit, name="launched", launches=(LAUNCH, LAUNCH))
    rival = plain_kernel(unit, name="rival", launches=(LAUNCH, LAUNCH))
    (task,) = make_batches(storage, [silent, launched, rival])
    assert [kernel.name for kernel in load_batch(storage, task)] == ["launched"]


def test_a_kernel_without_a_unit_is_not_run(storage: Storage) -> None:
    without_unit = replace(plain_kernel(plain_unit("x")), unit=None)
    assert make_batches(storage, [without_unit]) == []


def test_the_text_of_a_unit_is_stored_under_its_own_digest_alone(
    storage: Storage,
) -> None:
    unit = plain_unit("__global__ void k() { /* long */ }")
    (task,) = make_batches(storage, [plain_kernel(unit)])
    payload = decode(task.payload, RunPayload)
    assert b"long" not in storage.blobs.get(payload.kernels)
    (kernel,) = load_batch(storage, task)
    assert kernel.unit == unit
