"""Measure the threads a second of kernels run on the CPU, beside HIP-CPU where available.

python -m benchmarks simt_speed [--threads N] [--hip-cpu DIR] [--compiler-flag FLAG]…
[--results FILE]

DIR is a checkout of ROCm/HIP-CPU, which needs TBB; flags such as -I and -L tell its compiler
where that is.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import struct
import subprocess
import tempfile
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from crawler.model import Dialect, KernelUnit
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.emulator.run_program import run_launches

BLOCK = 256
REPEATS = 9
KERNELS = {
    "vector add": "vector_add",
    "reduction in shared memory": "shared_reduction",
    "reduction by shuffles": "shuffle_reduction",
    "bilinear samples, as roi_align's": "bilinear",
}
SOURCE = """
__global__ void vector_add(const float* __restrict__ a, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + a[i];
}
__global__ void shared_reduction(const float* a, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? a[i] : 0.f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void shuffle_reduction(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? a[i] : 0.f;
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down(v, k);
  if (threadIdx.x % 32 == 0) out[i / 32] = v;
}
__global__ void bilinear(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float total = 0.f;
  for (int sample = 0; sample < 4; ++sample) {
    float y = (i * 37 + sample * 25) % 6200 * 0.01f, x = (i * 73 + sample * 50) % 6200 * 0.01f;
    int low_y = (int)y, low_x = (int)x;
    float ly = y - low_y, lx = x - low_x;
    const float* at = a + low_y * 64 + low_x;
    total += (1 - ly) * ((1 - lx) * at[0] + lx * at[1]) + ly * ((1 - lx) * at[64] + lx * at[65]);
  }
  out[i] = total / 4;
}
"""
HIP_CPU_PROGRAM = """
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>
%s
static double used() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
template <class Kernel> static void timed(const char* name, Kernel kernel, const float* a,
                                           float* out, int n) {
  for (int repeat = 0; repeat <= %d; ++repeat) {
    const double began = used();
    hipLaunchKernelGGL(kernel, dim3(n / 256), dim3(256), 0, nullptr, a, out, n);
    hipDeviceSynchronize();
    if (repeat) printf("%%s %%.9f\\n", name, used() - began);
  }
}
int main(int, char** words) {
  const int n = atoi(words[1]);
  std::vector<float> a(n, 1.f), out(n);
  timed("vector_add", vector_add, a.data(), out.data(), n);
  timed("shared_reduction", shared_reduction, a.data(), out.data(), n);
  timed("shuffle_reduction", shuffle_reduction, a.data(), out.data(), n);
  timed("bilinear", bilinear, a.data(), out.data(), n);
}
"""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    ours = {
        name: _measure_kernelset(kernel, arguments.threads)
        for name, kernel in KERNELS.items()
    }
    theirs = _measure_hip_cpu(arguments) if arguments.hip_cpu else {}
    rows = [
        _format_row(name, ours[name], theirs.get(kernel))
        for name, kernel in KERNELS.items()
    ]
    lines = [
        (
            f"{arguments.threads:,} threads in blocks of {BLOCK}; millions of threads in a "
            "second of processor time, the"
        ),
        (
            f"fastest of {REPEATS} launches on one core, HIP-CPU's on one core too. Compare "
            "the ratios."
        ),
        "",
        *report.format_table(("kernel", "Kernelset", "HIP-CPU", "ratio"), rows),
    ]
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "How fast a CPU runs kernels",
            ["python", "-m", "benchmarks", "simt_speed"],
            lines,
        )
    return 0


def _measure_kernelset(kernel: str, threads: int) -> float:
    program = build_cpu_program(_make_unit(kernel))
    if not program.executable:
        raise SystemExit(f"{kernel} does not compile: {program.verdict.message}")
    launch = KernelLaunch(
        grid=(threads // BLOCK, 1, 1),
        block=(BLOCK, 1, 1),
        buffers=(
            Buffer(size=4 * threads, content=array("f", [1.0] * threads).tobytes()),
            Buffer(size=4 * threads),
        ),
        arguments=(
            pointer_argument(0),
            pointer_argument(1),
            value_argument(struct.pack("i", threads)),
        ),
        max_seconds=60,
    )
    runs = run_launches(program, [launch] * REPEATS)
    if any(run.outcome is not Outcome.DONE for run in runs):
        raise SystemExit(f"{kernel} did not end: {runs[0].findings}")
    return threads / min(run.nanoseconds for run in runs) * 1e3


def _make_unit(kernel: str) -> KernelUnit:
    source = f"#include <kernelset/cuda.cuh>\n{SOURCE}"
    return KernelUnit(
        source=source,
        dialect=Dialect.CUDA,
        kernel_name=kernel,
        instantiations=(),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def _measure_hip_cpu(arguments: argparse.Namespace) -> Mapping[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "bench.cpp", Path(folder) / "bench"
        source.write_text(HIP_CPU_PROGRAM % (SOURCE, REPEATS))
        flags = [
            "-std=c++17",
            "-O3",
            "-w",
            f"-I{arguments.hip_cpu / 'include'}",
            *arguments.compiler_flag,
        ]
        subprocess.run(
            ["g++", *flags, str(source), "-o", str(program), "-ltbb", "-lpthread"],
            check=True,
        )
        argv = [
            "taskset",
            "-c",
            str(min(os.sched_getaffinity(0))),
            str(program),
            str(arguments.threads),
        ]
        output = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    seconds: dict[str, list[float]] = {}
    for line in output.splitlines():
        name, _, value = line.partition(" ")
        seconds.setdefault(name, []).append(float(value))
    return {
        name: arguments.threads / min(values) / 1e6 for name, values in seconds.items()
    }


def _format_row(
    name: str, ours: float, theirs: float | None
) -> tuple[str, str, str, str]:
    if theirs is None:
        return name, f"{ours:.1f}", "", ""
    return name, f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.1f}"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("simt_speed", __doc__)
    parser.add_argument("--threads", type=int, default=1 << 20)
    parser.add_argument("--hip-cpu", type=Path, help="a checkout of ROCm/HIP-CPU")
    parser.add_argument(
        "--compiler-flag",
        action="append",
        default=[],
        help="for HIP-CPU's compiler, such as -L…",
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
