"""A program of one source that launches a kernel, and what comes of observing it."""

from __future__ import annotations

from pathlib import Path

from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.validate.programs.author_launches import ProgramReport, observe_program
from crawler.validate.programs.program_sources import ProgramSources

KERNEL = """#include <cuda_runtime.h>
#include <stdio.h>
__global__ void shift(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) to[i] = from[i + 1];
}
"""
MAIN = """int main() {
  const int n = 300;
  float *from, *to, values[n];
  for (int i = 0; i < n; ++i) values[i] = i;
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(from, values, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, n * sizeof(float));
  shift<<<(n + 63) / 64, 64>>>(from, to, n);
  cudaMemcpy(values, to, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g %g\\n", values[0], values[n - 2]);
  return 0;
}
"""


def observe(
    tmp_path: Path,
    text: str,
    neighbours: dict[str, str] | None = None,
    dialect: Dialect = Dialect.CUDA,
    arguments: tuple[str, ...] = ("-DFACTOR=2",),
) -> ProgramReport:
    """Return the report on a program of a source and those beside it."""
    tmp_path.chmod(0o755)
    files = {"main.cu": text} | (neighbours or {})
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    commands = [
        CompileCommand(
            directory=".",
            file=name,
            arguments=arguments,
            dialect=dialect,
            origin=FlagsOrigin.SYNTHESISED,
        )
        for name in files
    ]
    sources = ProgramSources(main=commands[0], neighbours=tuple(commands[1:]))
    return observe_program(tmp_path, sources)


def list_faults(report: ProgramReport) -> list[str]:
    assert report.code == "", report.message
    return [kernel.fault.code for kernel in report.kernels if kernel.fault]
