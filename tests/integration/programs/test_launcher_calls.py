"""Launchers of projects, called with tensors made for their checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import CaseOrigin, CompileCommand, Dialect, FlagsOrigin
from crawler.validate.launchers.compared_numbers import find_compared_numbers
from crawler.validate.launchers.launcher_calls import observe_launcher
from crawler.validate.launchers.launcher_source import LauncherSource, list_numbers
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.runs.kernel_launches import KernelLaunches

pytestmark = pytest.mark.apt
SOURCE = """#include <torch/extension.h>
template <typename T>
__global__ void gather_rows(const T* rows, const int64_t* index, T* out, int count, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * width) return;
  out[i] = rows[index[i / width] * width + i % width];
}
torch::Tensor gather(torch::Tensor rows, torch::Tensor index, double scale) {
  TORCH_CHECK(rows.is_cuda() && rows.dim() == 2, "rows must be a matrix");
  TORCH_CHECK(index.dim() == 1 && index.scalar_type() == torch::kInt64);
  TORCH_CHECK(rows.size(1) > 0 && index.numel() > 0);
  auto out = torch::empty({index.size(0), rows.size(1)}, rows.options());
  int total = out.numel();
  AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "gather", [&] {
    gather_rows<scalar_t><<<(total + 63) / 64, 64>>>(
        rows.contiguous().data_ptr<scalar_t>(), index.data_ptr<int64_t>(),
        out.data_ptr<scalar_t>(), index.size(0), rows.size(1));
  });
  return out;
}
"""


def observe(
    tmp_path: Path, text: str, name: str = "gather", *, words: tuple[str, ...] = ()
) -> ProgramReport:
    """Return the report on calls of a launcher that may be given `words`."""
    tmp_path.chmod(0o755)
    (tmp_path / "gather.cu").write_text(text)
    command = CompileCommand(
        directory=".",
        file="gather.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    source = LauncherSource(
        command=command,
        name=name,
        numbers=list_numbers(text),
        words=words,
        compared=find_compared_numbers(text),
    )
    return observe_launcher(tmp_path, source)


def get_kernel(report: ProgramReport) -> KernelLaunches:
    assert report.code == "", report.message
    (kernel,) = report.kernels
    return kernel


def is_blameless(report: ProgramReport) -> bool:
    """Tell whether calls show no fault of any kernel."""
    assert report.code in ("", "no-call"), report.message
    return all(kernel.fault is None for kernel in report.kernels)


def test_a_launcher_is_called_as_its_checks_let_it(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, SOURCE))

    assert kernel.launches >= 3
    assert len(kernel.configurations) >= 2
    assert kernel.fault is None
    assert kernel.is_consistent


FAULTS = {
    "out-of-bounds": ("if (i >= count * width) return;", ""),
    "uninitialised-read": ("out[i] = rows", "out[i] += rows"),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_names_the_call_that_shows_it(tmp_path: Path, code: str) -> None:
    kernel = get_kernel(observe(tmp_path, SOURCE.replace(*FAULTS[code])))

    assert kernel.fault is not None
    assert kernel.fault.code == code
    assert kernel.fault.message.startswith("gather(")


def test_a_result_that_is_too_small_shows_in_the_kernel(tmp_path: Path) -> None:
    text = SOURCE.replace("{index.size(0), rows", "{index.size(0) - 1, rows")
    kernel = get_kernel(observe(tmp_path, text))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"


HALVES = """#include <torch/extension.h>
__global__ void halve(const float* in, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i / 2] = in[i];
}
torch::Tensor halves(torch::Tensor in) {
  TORCH_CHECK(in.dim() == 1 && in.scalar_type() == at::kFloat);
  auto out = at::zeros({(in.size(0) + 1) / 2}, in.options());
  halve<<<(in.size(0) + 63) / 64, 64>>>(in.data_ptr<float>(), out.data_ptr<float>(), in.size(0));
  return out;
}
"""


def test_places_that_several_threads_write_are_a_race(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, HALVES, "halves"))

    assert kernel.fault is not None
    assert kernel.fault.code == "race"


REVERSAL = """#include <torch/extension.h>
__global__ void reverse_rows(const float* in, float* out, int columns) {
  extern __shared__ float row[];
  for (int i = threadIdx.x; i < columns; i += 64) row[i] = in[blockIdx.x * columns + i];
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += 64) {
    out[blockIdx.x * columns + i] = row[columns - 1 - i];
  }
}
torch::Tensor reverse(torch::Tensor in) {
  TORCH_CHECK(in.dim() == 2 && in.size(1) > 0 && in.scalar_type() == at::kFloat);
  auto out = at::empty_like(in);
  reverse_rows<<<in.size(0), 64, in.size(1) * sizeof(float)>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), in.size(1));
  return out;
}
"""


def test_a_fault_of_large_sizes_alone_that_ends_the_process_is_one(
    tmp_path: Path,
) -> None:
    assert get_kernel(observe(tmp_path, REVERSAL, "reverse")).fault is None

    room_for_a_block = REVERSAL.replace("in.size(1) * sizeof", "64 * sizeof")
    kernel = get_kernel(observe(tmp_path, room_for_a_block, "reverse"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert kernel.fault.is_shared


def test_what_a_launcher_does_not_check_is_no_fault(tmp_path: Path) -> None:
    # an index is to be below the number of rows, and nothing says so
    text = SOURCE.replace("rows.dim() == 2, ", "rows.dim() == 2 && scale == 0.5, ")

    assert is_blameless(observe(tmp_path, text))


def test_a_launcher_that_checks_no_shapes_is_not_blamed(tmp_path: Path) -> None:
    lines = [line for line in SOURCE.splitlines() if "TORCH_CHECK" not in line]
    text = "\n".join(lines).replace("if (i >= count * width) return;", "")
    check = "TORCH_CHECK(rows.is_cuda() && index.is_contiguous());\n  auto out"

    assert is_blameless(observe(tmp_path, text.replace("auto out", check)))


def test_a_launcher_that_checks_nothing_is_not_blamed(tmp_path: Path) -> None:
    lines = [line for line in SOURCE.splitlines() if "TORCH_CHECK" not in line]
    text = "\n".join(lines).replace("if (i >= count * width) return;", "")

    assert is_blameless(observe(tmp_path, text))


def test_a_launcher_of_which_no_call_is_accepted_has_no_launches(
    tmp_path: Path,
) -> None:
    text = SOURCE.replace("rows.size(1) > 0 &&", "rows.size(1) < 0 &&")

    assert observe(tmp_path, text).code == "no-call"


def test_an_operator_that_is_not_there_is_named(tmp_path: Path) -> None:
    text = SOURCE.replace("auto out", "index = torch::einsum(index);\n  auto out")
    report = observe(tmp_path, text)

    assert report.code == "undefined-symbol"
    assert "einsum" in report.message


def test_other_functions_of_its_source_do_not_matter(tmp_path: Path) -> None:
    other = "torch::Tensor other(torch::Tensor x) { return torch::einsum(x); }\n"

    assert get_kernel(observe(tmp_path, SOURCE + other)).fault is None


def test_a_call_that_ends_the_process_is_given_up(tmp_path: Path) -> None:
    text = SOURCE.replace("auto out", "if (rows.size(0) % 2) abort();\n  auto out")

    assert get_kernel(observe(tmp_path, text)).fault is None


def test_calls_that_run_cleanly_are_recorded(tmp_path: Path) -> None:
    (kernel,) = observe(tmp_path, SOURCE).kernels

    assert {recording.origin for recording in kernel.recordings} == {
        CaseOrigin.PROJECT_LAUNCHER
    }
    assert {recording.source for recording in kernel.recordings} == {
        "gather in gather.cu"
    }
    # rows, indices and outputs of as many sizes as there are calls
    assert (
        len(
            {
                tuple(b.size for b in recording.buffers)
                for recording in kernel.recordings
            }
        )
        > 3
    )


def test_calls_in_which_something_goes_wrong_are_not(tmp_path: Path) -> None:
    text = SOURCE.replace("i >= count * width", "i > count * width")

    (kernel,) = observe(tmp_path, text).kernels

    assert kernel.recordings == ()


ROW_MAXIMA = """#include <torch/extension.h>
__global__ void maximum(const float* in, float* out, int columns) {
  __shared__ float best[256];
  int t = threadIdx.x;
  float value = -1e30f;
  for (int i = t; i < columns; i += 256) value = fmaxf(value, in[blockIdx.x * columns + i]);
  best[t] = value;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) best[t] = fmaxf(best[t], best[t + half]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = best[0];
}
torch::Tensor maxima(torch::Tensor in) {
  TORCH_CHECK(in.dim() == 2 && in.scalar_type() == at::kFloat);
  auto out = at::empty({in.size(0)}, in.options());
  maximum<<<in.size(0), 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), in.size(1));
  return out;
}
"""


def test_calls_that_start_very_many_threads_are_left_out(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, ROW_MAXIMA, "maxima"))

    blocks = {grid[0] for grid, _ in kernel.configurations}
    # one instance of sizes has 1025 rows, another one 257
    assert len(blocks) >= 5
    assert max(blocks) * 256 < 1 << 15
    assert kernel.is_consistent
