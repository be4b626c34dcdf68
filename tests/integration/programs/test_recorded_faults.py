"""A port with planted faults that no searched case tells: the launches of its own project do."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from crawler.model import (
    Case,
    CaseOrigin,
    CompileCommand,
    Dialect,
    FlagsOrigin,
    KernelUnit,
    Launch,
)
from crawler.port.port import port_unit
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.programs.author_launches import observe_program
from crawler.validate.programs.program_sources import ProgramSources
from crawler.validate.values.comparison import find_mismatches
from tests.plain import HERE, plain_kernel, plain_unit

pytestmark = pytest.mark.apt
KERNELS = """// out[image][channel][row] = sum over a window of taps along a padded row, from `first` of the channels on
__global__ void filter_rows(const float* in, const float* taps, const int* lengths, float* out, int channels, int first,
                            int all_channels, int width, int pitch, int out_pitch, int rows, int reach, int step) {
  const int row = blockIdx.y, image = blockIdx.z / channels, channel = blockIdx.z % channels;
  if (row >= rows) return;
  const float* from = in + ((size_t)(image * all_channels + first + channel) * rows + row) * pitch;
  float* to = out + ((size_t)(image * channels + channel) * rows + row) * out_pitch;
  const int length = lengths[image];
  for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int tap = -reach; tap <= reach; ++tap) {
      const int place = x * step + tap;
      if (place < 0 || place >= length) continue;
      sum += taps[channel * (2 * reach + 1) + tap + reach] * from[place];
    }
    to[x] = sum > 900.f ? 900.f : sum;
  }
}
"""
MAIN = """#include "kernels.cu"
#include <stdio.h>
#include <stdlib.h>
struct Job { int images, channels, first, all, width, pitch, out_pitch, rows, reach, step; dim3 grid, block; };
static Job read_job(int number) {
  static const Job jobs[] = {
      {2, 3, 1, 5, 40, 96, 48, 4, 2, 2, dim3(1, 4, 6), dim3(16)},
      {1, 2, 0, 2, 64, 64, 64, 2, 1, 1, dim3(2, 2, 2), dim3(32)},
      {3, 1, 2, 4, 9, 32, 12, 3, 3, 3, dim3(1, 3, 3), dim3(32)},
  };
  return jobs[number];
}
static float* fill(size_t count, int seed) {
  float* host = (float*)malloc(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) host[i] = ((i * 37 + seed) % 101) * 5.f - 100;
  float* device;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice);
  free(host);
  return device;
}
int main() {
  for (int number = 0; number < 3; ++number) {
    const Job j = read_job(number);
    float* in = fill((size_t)j.images * j.all * j.rows * j.pitch, number);
    float* taps = fill(j.channels * (2 * j.reach + 1), 3);
    int lengths[3] = {j.width * j.step, j.width * j.step - 5, 7}, *device;
    cudaMalloc(&device, sizeof(lengths));
    cudaMemcpy(device, lengths, sizeof(lengths), cudaMemcpyHostToDevice);
    float* out;
    const size_t bytes = (size_t)j.images * j.channels * j.rows * j.out_pitch * sizeof(float);
    cudaMalloc(&out, bytes);
    cudaMemset(out, 0, bytes);
    filter_rows<<<j.grid, j.block>>>(in, taps, device, out, j.channels, j.first, j.all, j.width, j.pitch, j.out_pitch, j.rows, j.reach, j.step);
    float first;
    cudaMemcpy(&first, out, sizeof(first), cudaMemcpyDeviceToHost);
    printf("%g\\n", first);
  }
  return 0;
}
"""
FAULTS = {
    "an offset by a channel": ("first + channel)", "first)"),
    "a grid in x only": ("row = blockIdx.y", "row = 0"),
    "a stride of a padded row": ("* out_pitch", "* width"),
    "a dropped batch": ("image = blockIdx.z / channels", "image = 0"),
    "the stride of one batch for the other": (
        "image * all_channels",
        "image * channels",
    ),
    "a loop over the grid that goes round once": ("gridDim.x * blockDim.x", "width"),
    "a step of one": ("x * step + tap", "x + tap"),
    "the length of the first for all": ("lengths[image]", "lengths[0]"),
    "the weights of the first for all": ("taps[channel * (2 * reach + 1)", "taps[0"),
    "the first row of each output": (
        "channel) * rows + row) * out",
        "channel) * rows) * out",
    ),
}


@pytest.fixture(scope="module")
def validation(tmp_path_factory: pytest.TempPathFactory) -> CpuValidation:
    """Return what comes of the kernel with the launches of its project."""
    root = tmp_path_factory.mktemp("project")
    root.chmod(0o755)
    (root / "kernels.cu").write_text("#include <cuda_runtime.h>\n" + KERNELS)
    (root / "main.cu").write_text(MAIN)
    command = CompileCommand(
        directory=".",
        file="main.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    report = observe_program(root, ProgramSources(main=command))
    (launches,) = report.kernels
    assert launches.fault is None

    names = "in taps lengths out channels first all_channels width pitch out_pitch"
    parameters = [(name, "int") for name in f"{names} rows reach step".split()]
    site = Launch(span=HERE, kernel_name="filter_rows", grid="j.grid", block="j.block")
    kernel = plain_kernel(make_unit(), parameters, launches=(site,))
    return validate_on_cpu(kernel, recordings=launches.recordings)


def make_unit() -> KernelUnit:
    text = "#include <kernelset/cuda.cuh>\n" + KERNELS
    return plain_unit(text, kernel_name="filter_rows")


def plant(fault: str) -> KernelUnit:
    """Return the port with a fault."""
    port = port_unit(make_unit())
    right, wrong = FAULTS[fault]
    assert port.source.count(right) == 1
    source = port.source.replace(right, wrong)
    digest = hashlib.sha256(source.encode()).hexdigest()
    return replace(port, source=source, digest=digest)


def list_told(unit: KernelUnit, validation: CpuValidation) -> list[Case]:
    """Return the cases that a unit does not give."""
    program = build_cpu_program(unit, BuildOptions(fast_build=True), describe=False)
    assert validation.suite is not None
    assert program.executable, program.verdict
    cases = validation.suite.cases
    launches = [build_case_launch(case, validation.blobs) for case in cases]
    return [
        case
        for case, execution in zip(cases, run_launches(program, launches), strict=True)
        if execution.outcome is not Outcome.DONE
        or any(find_mismatches(case, execution.buffers, validation.blobs))
    ]


def test_the_port_itself_gives_every_case(validation: CpuValidation) -> None:
    assert list_told(port_unit(make_unit()), validation) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_recorded_case_tells_what_no_searched_one_does(
    fault: str, validation: CpuValidation
) -> None:
    told_mutants = list_told(plant(fault), validation)

    assert told_mutants
    # the search knows no grid but one in x, and no more than one batch and channel
    assert {case.origin for case in told_mutants} == {CaseOrigin.PROJECT_PROGRAM}
