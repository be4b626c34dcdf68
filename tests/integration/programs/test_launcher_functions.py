"""Calls of launchers that ask PyTorch for more than tensors of written sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
SCALE = """#include <torch/extension.h>
#include <ATen/cuda/detail/TensorInfo.cuh>
__global__ void scale(const float* from, float* to, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = 2 * from[i];
}
torch::Tensor twice(torch::Tensor from) {
  TORCH_CHECK(from.dim() == 2 && from.is_contiguous() && from.scalar_type() == at::kFloat);
  BODY
  const int64_t count = from.numel();
  if (count) scale<<<(count + 63) / 64, 64>>>(from.data_ptr<float>(), to.data_ptr<float>(), count);
  return to;
}
"""
EMPTY = "auto to = torch::empty_like(from);"


def observe_twice(tmp_path: Path, body: str) -> str:
    """Return the code of the fault that calls show, or `consistent`."""
    kernel = get_kernel(observe(tmp_path, SCALE.replace("BODY", body), "twice"))
    if kernel.fault is not None:
        return kernel.fault.code

    return "consistent" if kernel.is_consistent else "untold"


@pytest.mark.parametrize(
    "body",
    [
        "auto sizes = from.sizes().vec(); auto to = torch::empty(sizes, from.options());",
        "std::vector<int64_t> sizes = {from.size(0), from.size(1)};"
        " auto to = torch::full(sizes, 0.5, from.options());",
        "auto sizes = from.sizes().vec(); auto to = from.new_empty(sizes).view(sizes);",
    ],
)
def test_sizes_may_be_a_vector(tmp_path: Path, body: str) -> None:
    assert observe_twice(tmp_path, body) == "consistent"


COMBINED = """
  auto rows = torch::arange(0, 4, from.options().dtype(torch::kLong));
  std::vector<torch::Tensor> parts = {rows, rows + 4};
  auto all = torch::cat(parts, 0);
  TORCH_CHECK(all.size(0) == 8 && all[7].item<int64_t>() == 7);
  auto best = std::get<1>(all.view({2, 4}).max(1));
  TORCH_CHECK(best[0].item<int64_t>() == 3 && best[1].item<int64_t>() == 3);
  auto halves = torch::div(all, 2, "floor");
  TORCH_CHECK(halves[7].item<int64_t>() == 3 && all.true_divide(2)[7].item<double>() == 3.5);
  auto hidden = all.masked_fill(all > 5, -1);
  TORCH_CHECK(hidden[6].item<int64_t>() == -1 && hidden[5].item<int64_t>() == 5);
  TORCH_CHECK(torch::where(all > 5, all, halves)[5].item<int64_t>() == 2);
  auto some = torch::index_select(all, 0, rows + 2);
  TORCH_CHECK(some.numel() == 4 && some[3].item<int64_t>() == 5 && (1 - some)[0].item<int64_t>() == -1);
  auto noise = torch::rand_like(from);
  TORCH_CHECK(!noise.numel() || (noise.max().item<float>() <= 1 && noise.min().item<float>() >= 0));
  auto info = at::cuda::detail::getTensorInfo<float, int>(from);
  TORCH_CHECK(info.dims == 2 && info.sizes[1] == from.size(1) && info.strides[1] == 1);
"""


SELECTED = """
  auto rows = torch::arange(4, from.options().dtype(torch::kLong));
  auto odd = rows.masked_select(rows.ne(2));
  TORCH_CHECK(odd.numel() == 3 && odd[2].item<int64_t>() == 3);
  auto places = (rows.view({2, 2}) > 0).nonzero();
  TORCH_CHECK(places.size(0) == 3 && places[1][0].item<int64_t>() == 1 && places[1][1].item<int64_t>() == 0);
  auto table = torch::stack({rows + 4, rows}, 0);
  auto [sorted, order] = table.sort(0);
  TORCH_CHECK(sorted[0][3].item<int64_t>() == 3 && sorted[1][0].item<int64_t>() == 4 && order[0][1].item<int64_t>() == 1);
  TORCH_CHECK(torch::argsort(1 - rows)[0].item<int64_t>() == 3);
  auto shuffled = torch::randperm(9, from.options().dtype(torch::kLong));
  TORCH_CHECK(std::get<0>(shuffled.sort())[8].item<int64_t>() == 8);
  auto grown = rows.clone();
  grown.resize_({2, 3});
  TORCH_CHECK(grown.size(1) == 3 && grown[1][0].item<int64_t>() == 3);
"""
MULTIPLIED = """
  auto one = torch::arange(6, from.options()).view({2, 3});
  auto product = torch::matmul(one, one.t());
  TORCH_CHECK(product.size(0) == 2 && product[0][1].item<float>() == 14 && product[1][1].item<float>() == 50);
  auto result = torch::zeros({2, 2}, from.options());
  torch::mm_out(result, one, one.t());
  TORCH_CHECK(result[1][0].item<float>() == 14);
  auto batch = torch::stack({one, one}, 0).bmm(torch::stack({one.t(), one.t()}, 0));
  TORCH_CHECK(batch.dim() == 3 && batch[1][0][0].item<float>() == 5);
"""


@pytest.mark.parametrize("checked", [COMBINED, SELECTED, MULTIPLIED])
def test_operators_do_what_those_of_pytorch_do(tmp_path: Path, checked: str) -> None:
    assert observe_twice(tmp_path, checked + EMPTY) == "consistent"


def test_what_is_missing_hinders_its_own_branch_alone(tmp_path: Path) -> None:
    body = f"if (from.size(0) == 7) from = torch::softmax(from, 0); {EMPTY}"

    assert observe_twice(tmp_path, body) == "consistent"


MODES = """#include <torch/extension.h>
#include <map>
__global__ void shift(const float* from, float* to, int64_t count, int by) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] + by;
}
const std::map<std::string, int> steps = {{"upward", 1}, {"downward", -1}};
torch::Tensor move(torch::Tensor from, std::string mode) {
  TORCH_CHECK(from.dim() == 1 && from.is_contiguous() && from.scalar_type() == at::kFloat);
  auto to = torch::empty_like(from);
  const int64_t count = from.numel();
  if (count) shift<<<(count + 63) / 64, 64>>>(from.data_ptr<float>(), to.data_ptr<float>(), count, steps.at(mode));
  return to;
}
"""


@pytest.mark.parametrize("words", [("upward", "downward"), ()])
def test_a_word_of_a_table_is_given(tmp_path: Path, words: tuple[str, ...]) -> None:
    report = observe(tmp_path, MODES, "move", words=words)

    assert (report.code == "") == bool(words)
    assert all(kernel.is_consistent for kernel in report.kernels)


TYPED = """#include <torch/extension.h>
template <class T> __global__ void twice(const T* from, T* to, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] + from[i];
}
torch::Tensor twice_of(torch::Tensor from) {
  TORCH_CHECK(from.dim() == 1 && from.is_contiguous() && from.scalar_type() == TYPE);
  auto to = torch::empty_like(from);
  const int64_t count = from.numel();
  DISPATCH(from.scalar_type(), "twice_of", [&] {
    if (count) twice<scalar_t><<<(count + 63) / 64, 64>>>(from.data_ptr<scalar_t>(), to.data_ptr<scalar_t>(), count);
  });
  return to;
}
"""


@pytest.mark.parametrize(
    ("type_name", "dispatch"),
    [
        ("at::kFloat", "AT_DISPATCH_ALL_TYPES"),
        ("at::kInt", "AT_DISPATCH_INTEGRAL_TYPES"),
        ("at::kShort", "AT_DISPATCH_ALL_TYPES"),
        ("at::kDouble", "AT_DISPATCH_FLOATING_TYPES"),
    ],
)
def test_a_type_that_is_seldom_tried_is_compiled_where_no_other_is_taken(
    tmp_path: Path, type_name: str, dispatch: str
) -> None:
    text = TYPED.replace("TYPE)", f"{type_name})").replace("DISPATCH", dispatch)
    kernel = get_kernel(observe(tmp_path, text, "twice_of"))

    assert kernel.fault is None
    assert kernel.is_consistent
