"""On which widths of a wave a port means the same."""

from __future__ import annotations

import pytest

from crawler.model import Wave
from crawler.port.port import port_text

HEAD = "__global__ void k(float *x, int n, unsigned mask) {\n  int i = threadIdx.x;\n"


@pytest.mark.parametrize(
    ("body", "wave"),
    [
        ("x[i] = 2 * x[i];", Wave.ANY),
        ("__syncthreads(); atomicAdd(x, 1.0f);", Wave.ANY),
        ('printf("__shfl_sync"); // warpSize', Wave.ANY),
        ("x[i] = __shfl_down_sync(0xffffffff, x[i], 16);", Wave.LOGICAL),
        ("x[i] = __shfl_xor(x[i], 1);", Wave.LOGICAL),
        ("x[i] = cub::WarpReduce<float>(t).Sum(x[i]);", Wave.LOGICAL),
        ('unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); x[i] = l;', Wave.LOGICAL),
        ("if (i % warpSize == 0) x[i] = 0;", Wave.NATIVE),
        ("x[i] = __shfl_down_sync(mask, x[i], warpSize / 2);", Wave.NATIVE),
        ("if (threadIdx.x % 32 == 0) x[i] = 0;", Wave.THIRTY_TWO),
        ("x[i] = __shfl_down_sync(mask, x[i], 16);", Wave.THIRTY_TWO),
    ],
)
def test_the_wave_that_a_kernel_expects(body: str, wave: Wave) -> None:
    _, report = port_text(f"{HEAD}  {body}\n}}\n")
    assert report.wave is wave
