"""Kernels of one source, each wrong or right in its own way, and their launches."""

from __future__ import annotations

import hashlib
import struct
from array import array

from crawler.model import Dialect, Instantiation, KernelUnit
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import (
    Argument,
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)

SOURCE = """#include <kernelset/cuda.cuh>
template <int Case> struct is {};
__device__ int counter;
__constant__ float weights[3] = {1.f, 2.f, 4.f};

__device__ void body(is<0>, const float* a, float* out, int n) {  // vector add, and a grid that is too large
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + weights[i % 3];
}
__device__ void body(is<1>, const float* a, float* out, int n) {  // a reduction in static shared memory
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? a[i] : 0.f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__device__ void body(is<2>, const float* a, float* out, int n) {  // the block's order turned round in dynamic memory
  extern __shared__ __align__(16) float turned[];
  turned[blockDim.x - 1 - threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = turned[threadIdx.x];
}
__device__ void body(is<3>, const float* a, float* out, int n) {  // lanes that have ended are no partners
  int i = threadIdx.x;
  if (i >= n) return;
  float v = a[i];
  for (int k = warpSize / 2; k > 0; k >>= 1) {
    float other = __shfl_down_sync(0xffffffff, v, k);
    if (i + k < n) v += other;
  }
  out[i] = i == 0 ? v : __popc(__ballot_sync(__activemask(), i % 2));
}
__device__ void body(is<4>, const float* a, float* out, int n) {  // who is even counts, in a branch of its own
  if (threadIdx.x % 2 == 0) {
    unsigned together = __activemask();
    if (threadIdx.x == 0) out[0] = __popc(together);
  }
  __syncwarp();
  out[1] = __syncthreads_count(threadIdx.x < 10);
  int same;
  __match_all_sync(0xffffffff, 7, &same);
  out[2] = same + 10 * __reduce_add_sync(0xffffffff, 1);
}
__device__ void body(is<5>, const float* a, float* out, int n) {  // the end comes before a barrier
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = 1.f;
}
__device__ void body(is<6>, const float* a, float* out, int n) {  // two barriers for one block
  if (threadIdx.x < n) __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1.f;
}
__device__ void body(is<7>, const float* a, float* out, int n) { out[n] = 1.f; }
__device__ void body(is<8>, const float* a, float* out, int n) { out[0] = 7 / (n - 64); }
__device__ void body(is<9>, const float* a, float* out, int n) {
  while (*(volatile int*)&counter == 0) {}
}
__device__ void body(is<10>, const float* a, float* out, int n) { assert(n < 0); }
__device__ void body(is<11>, const float* a, float* out, int n) {  // three dimensions
  unsigned rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  __syncthreads();
  out[rank] = 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x;
}
__device__ void body(is<12>, const float* a, float* out, int n) {  // last one wins: it tells the order of threads
  out[0] = threadIdx.x + 100 * blockIdx.x;
  out[1] = atomicAdd(&counter, 1) == 0 ? threadIdx.x : out[1];
}
__device__ void body(is<13>, const float* a, float* out, int n) {  // what nobody wrote is NaN
  __shared__ float s[64];
  if (threadIdx.x != 5) s[threadIdx.x] = 1.f;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__device__ void body(is<14>, const float* a, float* out, int n) {  // a neighbour's value with no barrier between
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
__device__ void body(is<15>, const float* a, float* out, int n) {  // a histogram without atomics
  out[0] += a[blockIdx.x * blockDim.x + threadIdx.x];
}
__device__ void body(is<16>, const float* a, float* out, int n) { out[-1] = a[threadIdx.x + 1]; }
__device__ void body(is<17>, const float* a, float* out, int n) {  // the last block adds up what all have written
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = a[blockIdx.x];
    __threadfence();
    last = atomicAdd(&counter, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0)
    for (int i = 0; i < gridDim.x; ++i) out[gridDim.x] = (i ? out[gridDim.x] : 0) + out[i];
}
__device__ void body(is<18>, const float* a, float* out, int n) {  // more of its own memory than a narrow stack has
  volatile float mine[20000];
  for (int i = 0; i < 20000; ++i) mine[i] = i;
  __syncthreads();
  out[threadIdx.x] = mine[n * 100 + threadIdx.x];
}
__device__ void body(is<19>, const float* a, float* out, int n) {  // a lock that is tried until it is free
  bool done = false;
  while (!done) {
    if (atomicCAS(&counter, 0, 1) == 0) {
      out[0] = (threadIdx.x ? out[0] : 0.f) + 1.f;
      if (threadIdx.x % 7 == 3) __nanosleep(100);
      atomicExch(&counter, 0);
      done = true;
    }
  }
}
__device__ void body(is<20>, const float* a, float* out, int n) {  // each block waits for the next one's word
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
    while (atomicAdd((int*)out + blockIdx.x + 1, 0) != 7) __nanosleep(1);
  __syncthreads();
  if (threadIdx.x == 0) atomicExch((int*)out + blockIdx.x, 7);
}
__device__ void body(is<21>, const float* a, float* out, int n) {  // 32 lanes are taken for granted
  float v = a[threadIdx.x];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_xor(v, k);
  out[threadIdx.x] = __shfl(v, threadIdx.x / 32);
}
__device__ void body(is<22>, const float* a, float* out, int n) { out[(n << 26) * 32 + n * 1000000000ll] = 1.f; }
__device__ void body(is<23>, const float* a, float* out, int n) {}
__device__ void body(is<24>, const float* a, float* out, int n) {  // all write the same; one shows what nobody wrote
  __shared__ float s[2];
  out[0] = 7.f;
  if (threadIdx.x == 0) out[1] = s[n & 1];
}
__device__ void body(is<25>, const float* a, float* out, int n) {  // a count that is negative is very large
  for (unsigned at = threadIdx.x; at < unsigned(n); at += blockDim.x == 1 ? 1 : 256) out[at] = 1.f;
}
template <int Case> __global__ void k(const float* a, float* out, int n) { body(is<Case>(), a, out, n); }
""" + "".join(
    f"template __global__ decltype(k<{case}>) k<{case}>;\n" for case in range(26)
)
ENDLESS = (9, 20)
FLOATS = [float(value) for value in range(1, 65)]


def unit() -> KernelUnit:
    cases = tuple(
        Instantiation(arguments=(str(case),), label=str(case)) for case in range(26)
    )
    digest = hashlib.sha256(SOURCE.encode()).hexdigest()
    return KernelUnit(
        source=SOURCE,
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=cases,
        prelude="",
        digest=digest,
        token_digest="",
    )


def floats(values: list[float]) -> bytes:
    return array("f", values).tobytes()


def launch(
    case: int,
    *,
    n: int = 64,
    out: int = 64,
    blocks: int = 1,
    block: tuple[int, int, int] = (64, 1, 1),
) -> KernelLaunch:
    arguments: tuple[Argument, ...] = (
        pointer_argument(0),
        pointer_argument(1),
        value_argument(struct.pack("i", n)),
    )
    buffers = (Buffer(size=256, content=floats(FLOATS)), Buffer(size=4 * out))
    return KernelLaunch(
        entry=case,
        grid=(blocks, 1, 1),
        block=block,
        shared_bytes=256,
        buffers=buffers,
        arguments=arguments,
        max_seconds=1,
    )


def result(execution: Execution) -> list[float]:
    assert execution.outcome is Outcome.DONE, execution.findings
    return array("f", execution.buffers[1]).tolist()
