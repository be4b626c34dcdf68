"""A kernel that was run on the CPU just now, as a task for candidates, and answers to it."""

from __future__ import annotations

from pathlib import Path

from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.model import Repo
from storage.open import Storage
from tests.plain import plain_kernel, plain_unit
from workers.config.settings import Settings
from workers.stages import validate_cpu
from workers.tasks.cpu_batches import make_cpu_batches
from workers.workspace.task_workspace import open_workspace

RIGHT = """\
__global__ void blend(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * x[i] + out[i];
}
"""
WRONG = RIGHT.replace("i < n", "i < n - 1")
BROKEN = RIGHT.replace("x[i]", "y[i]")
SLOW = RIGHT.replace("if (i < n)", "for (int k = 0; k < n; ++k) if (k == i)")
HANGING = RIGHT.replace("int i", "for (volatile int k = 0;;) ++k;\n  int i")
_REPO = Repo(source="git", owner="waves", name="tide", url="u", ref="main", commit="1")
_PARAMETERS = [("x", "const float *"), ("out", "float *"), ("n", "int")]


def put_judged_kernel(storage: Storage, home: Path) -> str:
    """Run the kernel whose source is `RIGHT`, store what came of it, and return its task's id."""
    source = "#include <kernelset/cuda.cuh>\n" + RIGHT
    unit = plain_unit(source, kernel_name="blend")
    kernel = plain_kernel(unit, _PARAMETERS, name="blend")
    storage.index.put_commit(_REPO, "", "", task=0)
    storage.index.put_kernels(_REPO, [kernel])
    (spec,) = make_cpu_batches([kernel], "", storage.blobs, "tide")
    storage.ledger.open_crawl(("x",), (spec,))
    claim = storage.ledger.claim("me", (spec.stage,), 600)
    assert claim

    settings = Settings(home=home, strength_seconds=0.0)
    with open_workspace(settings) as workspace:
        outcome = validate_cpu.run(claim, storage, workspace)
    storage.ledger.finish(claim, outcome)
    (record,) = storage.index.records("name = blend")
    return make_task_id(record)
