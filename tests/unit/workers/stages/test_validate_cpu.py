"""A batch of kernels on the CPU: which of a kernel's instantiations are run, and what is kept."""

from __future__ import annotations

import pytest

from crawler.codec import decode
from crawler.model import Instantiation, Kernel, Repo, Run
from storage.ledger.interface import Claim
from storage.open import Storage
from tests.plain import plain_kernel, plain_unit
from workers.config.settings import Settings
from workers.stages import validate_cpu
from workers.tasks.cpu_batches import make_cpu_batches
from workers.tasks.payloads import DevicePayload, RunResult
from workers.workspace.task_workspace import Workspace

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
struct Add { static __device__ float join(float a, float b) { return a + b; } };
struct Greater { static __device__ float join(float a, float b) { return a > b ? a : b; } };
struct Trap { static __device__ float join(float a, float b) { __trap(); return a; } };
template <typename Join> __global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Join::join(x[i], out[i]);
}
template __global__ decltype(k<Add>) k<Add>;
template __global__ decltype(k<Greater>) k<Greater>;
template __global__ decltype(k<Trap>) k<Trap>;
"""
REPO = Repo(source="git", owner="waves", name="tide", url="u", ref="main", commit="1")


def make_kernel() -> Kernel:
    unit = plain_unit(
        SOURCE,
        *(
            Instantiation(arguments=(name,), label=name)
            for name in ("Add", "Greater", "Trap")
        ),
    )
    names = [("x", "const float *"), ("out", "float *"), ("n", "int")]
    return plain_kernel(unit, names)


def claim_batch(storage: Storage, kernel: Kernel) -> Claim:
    (task,) = make_cpu_batches([kernel], "", storage.blobs, "tide")
    storage.ledger.open_crawl(("x",), (task,))
    claim = storage.ledger.claim("me", (task.stage,), 60)
    assert claim
    return claim


def test_what_a_crawl_wants_run_on_a_gpu_goes_there_after_the_cpu(
    storage: Storage, frugal: Workspace
) -> None:
    kernel = make_kernel()
    storage.index.put_kernels(REPO, [kernel])
    (task,) = make_cpu_batches([kernel], "", storage.blobs, "tide")
    queues = (task.queue, "validate.rocm.gfx942")
    storage.ledger.open_crawl(("x",), (task,), queues)
    claim = storage.ledger.claim("me", (task.stage,), 60)
    assert claim
    (child,) = validate_cpu.run(claim, storage, frugal).children
    assert child.queue == "validate.rocm.gfx942"
    assert decode(child.payload, DevicePayload).device == "rocm:gfx942"


@pytest.fixture
def frugal(workspace: Workspace) -> Workspace:
    """Return a workspace that measures no strength."""
    values = workspace.settings.model_dump() | {"strength_seconds": 0.0}
    workspace.settings = Settings.model_validate(values)
    return workspace


def read_verdicts(storage: Storage) -> dict[str, str]:
    (row,) = storage.index.query()
    return row.instantiation_exe["cpu"]


def test_each_instantiation_that_may_be_run_gets_a_verdict_of_its_own(
    storage: Storage, frugal: Workspace
) -> None:
    kernel = make_kernel()
    storage.index.put_kernels(REPO, [kernel])
    claim = claim_batch(storage, kernel)
    outcome = validate_cpu.run(claim, storage, frugal)

    verdicts = read_verdicts(storage)
    assert (verdicts["Add"], verdicts["Greater"]) == ("consistent", "consistent")
    assert verdicts["Trap"] not in ("consistent", "not-run")
    # a GPU is given the run that speaks for the unit, and no other
    result = decode(outcome.result, RunResult)
    (run,) = decode(storage.blobs.get(result.runs), tuple[Run, ...])
    assert (run.instantiation, run.is_further) == ("Add", False)


@pytest.mark.parametrize("limit", [{"instantiations": 1}, {"instantiation_seconds": 0}])
def test_what_the_settings_leave_out_was_not_run(
    storage: Storage, frugal: Workspace, limit: dict[str, int]
) -> None:
    values = frugal.settings.model_dump() | limit
    frugal.settings = Settings.model_validate(values)
    kernel = make_kernel()
    storage.index.put_kernels(REPO, [kernel])
    validate_cpu.run(claim_batch(storage, kernel), storage, frugal)
    assert read_verdicts(storage) == {
        "Add": "consistent",
        "Greater": "not-run",
        "Trap": "not-run",
    }


def test_a_later_commit_gets_the_verdicts_of_all_that_ran(
    storage: Storage, frugal: Workspace
) -> None:
    kernel = make_kernel()
    storage.index.put_kernels(REPO, [kernel])
    claim = claim_batch(storage, kernel)
    validate_cpu.run(claim, storage, frugal)
    verdicts = read_verdicts(storage)
    outcome = validate_cpu.run(claim, storage, frugal)
    assert decode(outcome.result, RunResult).reused == 1
    assert read_verdicts(storage) == verdicts
