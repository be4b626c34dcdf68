"""A header of kernels that several tests launch, and how they look at its launches."""

from __future__ import annotations

from crawler.model import Kernel, Launch

HEADER = """#pragma once
template <typename T> __global__ void scale(T* out, const T* in, int n, T factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
__global__ void plain(float* out, int n) { out[n] = 1; }
template <typename T, int N> __global__ void tiled(T* out) { __shared__ T tile[N]; out[0] = tile[0]; }
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
"""


def launch_in(kernel: Kernel, function: str, position: int = 0) -> Launch:
    launches = [launch for launch in kernel.launches if launch.enclosing == function]
    assert launches, [launch.enclosing for launch in kernel.launches]
    return launches[position]


def configuration(launch: Launch) -> tuple[str, str, str, str]:
    return launch.grid, launch.block, launch.shared_bytes, launch.stream
