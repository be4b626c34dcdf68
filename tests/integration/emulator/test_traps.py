"""Kernels with a known fault each, or a known trick: from their text and a launch site alone
the verdict names it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from crawler.model import (
    Behaviour,
    Instantiation,
    Kernel,
    Launch,
    Status,
)
from crawler.validate.cpu.validation import validate_on_cpu
from tests.plain import HERE, plain_kernel, plain_unit

pytestmark = pytest.mark.apt


@dataclass(frozen=True)
class Trap:
    name: str
    behaviour: Behaviour
    codes: tuple[str, ...]
    parameters: str
    body: str
    setup: str = "int n = a.size(0); const int threads = 64;"
    grid: str = "(n + threads - 1) / threads"
    block: str = "threads"
    before: str = ""
    passed: dict[str, str] = field(default_factory=dict)

    def kernel(self) -> Kernel:
        source = f"#include <kernelset/cuda.cuh>\n{self.before}\n__global__ void k({self.parameters}) {{\n{self.body}\n}}\n"
        words = [parameter.rpartition(" ") for parameter in self.parameters.split(", ")]
        names = [
            (name.lstrip("*"), kind + "*" * name.count("*")) for kind, _, name in words
        ]
        plain = Instantiation(arguments=(), label="")
        launch = Launch(
            span=HERE,
            kernel_name="k",
            grid=self.grid,
            block=self.block,
            argument_map=tuple(
                (name, self.passed.get(name, name)) for name, _ in names
            ),
            setup=self.setup,
        )
        return plain_kernel(plain_unit(source, plain), names, launches=(launch,))


INDEX = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
FAULTS = (
    Trap(
        "missing barrier",
        Behaviour.RACY,
        ("race",),
        "const float *a, float *out, int n",
        INDEX
        + "  __shared__ float s[64];\n  s[threadIdx.x] = i < n ? a[i] : 0.f;\n"
        + "  if (i < n) out[i] = s[63 - threadIdx.x];",
    ),
    Trap(
        "racy histogram",
        Behaviour.RACY,
        ("race", "order-dependent"),
        "const int *a, int *bins, int n",
        INDEX + "  if (i < n) bins[a[i] & 7] += 1;",
    ),
    Trap(
        "out of bounds by one",
        Behaviour.UNDEFINED,
        ("out-of-bounds", "array-bounds"),
        "const float *a, float *out, int n",
        INDEX
        + "  __shared__ float s[64];\n  s[threadIdx.x + 1] = i < n ? a[i] : 0.f;\n  __syncthreads();\n"
        + "  if (i < n) out[i] = s[threadIdx.x];",
    ),
    Trap(
        "uninitialised shared read",
        Behaviour.UNDEFINED,
        ("uninitialised-read",),
        "const float *a, float *out, int n",
        INDEX
        + "  __shared__ float s[64];\n  if (threadIdx.x != 5 && i < n) s[threadIdx.x] = a[i];\n  __syncthreads();\n"
        + "  if (i < n) out[i] = s[threadIdx.x];",
    ),
    Trap(
        "output never written",
        Behaviour.TRIVIAL,
        ("trivial-output",),
        "const float *a, float *out, int n",
        INDEX + "  float x = i < n ? a[i] : 0.f;\n  if (x != x && n < 0) out[i] = x;",
    ),
    Trap(
        "barriers in two branches",
        Behaviour.UNDEFINED,
        ("divergent-barrier",),
        "const float *a, float *out, int n",
        INDEX
        + "  if (threadIdx.x % 2) __syncthreads();\n  else\n    __syncthreads();\n  if (i < n) out[i] = a[i];",
    ),
    Trap(
        "integer overflow in an index",
        Behaviour.UNDEFINED,
        ("integer-overflow", "out-of-bounds", "fault"),
        "const float *a, float *out, int n",
        INDEX
        + "  int far = (i + 1) * 40000 * 60000;\n  if (i < n) out[i] = a[i] + (far > 0 ? 1.f : 2.f);",
    ),
    Trap(
        "divide by zero",
        Behaviour.UNDEFINED,
        ("divide-by-zero",),
        "const int *a, int *out, int n",
        INDEX + "  if (i < n) out[i] = a[i] / (n - n);",
    ),
    Trap(
        "infinite loop",
        Behaviour.TIMEOUT,
        ("timeout",),
        "const float *a, float *out, int n",
        INDEX + '  while (n) asm volatile("");\n  out[i] = a[i];',
    ),
)
SERVED = (
    Trap(
        "early return before a barrier",
        Behaviour.DETERMINISTIC,
        (),
        "const float *a, float *out, int n",
        INDEX
        + "  __shared__ float s[64];\n  if (i >= n) return;\n  s[threadIdx.x] = a[i];\n  __syncthreads();\n"
        + "  out[i] = s[threadIdx.x] + s[0];",
    ),
    Trap(
        "lanes hard-wired to 32",
        Behaviour.DETERMINISTIC,
        ("lanes",),
        "const float *a, float *out, int n",
        INDEX
        + "  float v = i < n ? a[i] : 0.f;\n  for (int k = 16; k > 0; k >>= 1) v += __shfl_down(v, k);\n"
        + "  if (threadIdx.x % warpSize == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;",
    ),
    Trap(
        "spin lock",
        Behaviour.DETERMINISTIC,
        (),
        "const int *a, int *out, int n",
        INDEX
        + "  bool done = i >= n;\n  while (!done) {\n    if (atomicCAS(&lock, 0, 1) == 0) {\n"
        + "      out[0] = atomicAdd(out, 0) + a[i];\n"
        + "      __threadfence();\n      atomicExch(&lock, 0);\n      done = true;\n    }\n  }",
        before="__device__ int lock;",
    ),
    Trap(
        "blocks of three dimensions",
        Behaviour.DETERMINISTIC,
        (),
        "const float *a, float *out, int w, int h, int d",
        "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
        "  if (x < w && y < h && z < d) out[(z * h + y) * w + x] = 2.f * a[(z * h + y) * w + x];",
        setup="int w = a.size(2), h = a.size(1), d = a.size(0); dim3 threads(8, 4, 2);"
        " dim3 blocks((w + 7) / 8, (h + 3) / 4, (d + 1) / 2);",
        grid="blocks",
    ),
    Trap(
        "negative strides",
        Behaviour.DETERMINISTIC,
        (),
        "const float *last, float *out, int n",
        INDEX + "  if (i < n) out[i] = *(last - i) * 3.f;",
        passed={"last": "a.data_ptr<float>() + n - 1"},
    ),
)


def slugify(trap: Trap) -> str:
    return trap.name.replace(" ", "-")


@pytest.mark.parametrize("trap", FAULTS, ids=slugify)
def test_a_fault_is_named(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    # each endless run takes all of the time that it is given: one tells as much as six
    monkeypatch.setattr("crawler.validate.cpu.validation.MAX_ENDLESS_SECONDS", 0.1)
    run = validate_on_cpu(trap.kernel()).run
    assert (run.behaviour, run.pass_exe.code in trap.codes) == (trap.behaviour, True), (
        run.pass_exe
    )
    assert run.pass_exe.status in (Status.FAIL, Status.UNSUPPORTED)


@pytest.mark.parametrize("trap", SERVED, ids=slugify)
def test_what_is_only_unusual_runs(trap: Trap) -> None:
    run = validate_on_cpu(trap.kernel()).run
    assert run.behaviour in (trap.behaviour, Behaviour.ATOMIC_NONDETERMINISTIC), (
        run.pass_exe
    )
    assert run.pass_exe.status is Status.CONSISTENT
    assert not trap.codes or run.pass_exe.code in trap.codes
