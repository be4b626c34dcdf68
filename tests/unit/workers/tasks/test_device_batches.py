"""What ran on a CPU is run on each GPU that a crawl names, once."""

from __future__ import annotations

from crawler.codec import decode, encode
from storage.ledger.interface import Outcome, Stage
from storage.open import Storage
from workers.tasks.device_batches import (
    find_missing_device_batches,
    make_device_batches,
    resolve_device_arch,
)
from workers.tasks.payloads import DevicePayload, RunPayload, RunResult
from workers.tasks.task_specs import make_task_spec

RESULT = RunResult(
    device="cpu", kernels="stored kernels", runs="stored runs", statuses={}
)


def test_a_gpu_that_is_named_twice_has_one_task() -> None:
    devices = ("cuda:sm_90", "cpu", "rocm:gfx942", "cuda:sm_90")
    tasks = list(make_device_batches(RESULT, devices, "mmcv 2.2.0"))
    assert [task.queue for task in tasks] == [
        "validate.cuda.sm_90",
        "validate.rocm.gfx942",
    ]
    assert tasks[0].subject == "mmcv 2.2.0 on cuda:sm_90"
    payload = decode(tasks[0].payload, DevicePayload)
    assert payload == DevicePayload(
        kernels="stored kernels", runs="stored runs", device="cuda:sm_90"
    )


def test_a_stated_arch_is_taken_as_it_is() -> None:
    assert resolve_device_arch("rocm:gfx1100") == "rocm:gfx1100"


def run_on_cpu(storage: Storage) -> str:
    """Return a crawl that has run one batch on the CPU."""
    payload = RunPayload(kernels="stored kernels", snapshot="s")
    task = make_task_spec(Stage.VALIDATE_CPU, payload, "mmcv 2.2.0")
    crawl = storage.ledger.open_crawl(("mmcv",), (task,))
    claim = storage.ledger.claim("me", (Stage.VALIDATE_CPU,), 60)
    assert claim
    outcome = Outcome(result=encode(RESULT).decode())
    assert storage.ledger.finish(claim, outcome)
    return crawl


def test_a_device_that_is_named_later_gets_what_ran_before(storage: Storage) -> None:
    crawl = run_on_cpu(storage)
    (task,) = find_missing_device_batches(storage, crawl, ("cpu", "rocm:gfx90a"))
    assert task.stage is Stage.VALIDATE_DEVICE
    assert decode(task.payload, DevicePayload).runs == "stored runs"


def test_a_crawl_without_a_gpu_asks_for_nothing(storage: Storage) -> None:
    crawl = run_on_cpu(storage)
    assert find_missing_device_batches(storage, crawl, ("cpu",)) == ()
