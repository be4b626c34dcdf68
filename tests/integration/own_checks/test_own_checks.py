"""Programs of projects that look at what their kernels compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.own_program import KERNEL, MAIN, list_faults, observe

pytestmark = pytest.mark.apt
CHECK = """  for (int i = 0; i < n - 1; ++i)
    if (values[i] != i + 1) { printf("FAILED at %d\\n", i); return 0; }
  printf("PASSED\\n");
  return 0;"""


def test_a_program_that_looks_at_all_results_checks_its_kernel(tmp_path: Path) -> None:
    (kernel,) = observe(tmp_path, (KERNEL + MAIN).replace("  return 0;", CHECK)).kernels

    assert kernel.is_checked


def test_a_check_by_exit_code_is_one_too(tmp_path: Path) -> None:
    text = (KERNEL + MAIN).replace("return 0;", "return values[n - 2] != n - 1;")

    (kernel,) = observe(tmp_path, text).kernels
    assert kernel.is_checked


@pytest.mark.parametrize(
    "check",
    [
        '  printf("PASSED\\n");\n  return 0;',
        CHECK.replace("i < n - 1", "i < 10"),
    ],
    ids=["always-passes", "looks-at-the-first-ten"],
)
def test_a_program_that_does_not_look_checks_nothing(
    tmp_path: Path, check: str
) -> None:
    (kernel,) = observe(tmp_path, (KERNEL + MAIN).replace("  return 0;", check)).kernels

    assert not kernel.is_checked


REFUSING = CHECK.replace("return 0; }", "return 1; }")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_results_that_the_only_kernels_program_refuses_are_a_fault(
    tmp_path: Path, stream: str
) -> None:
    check = REFUSING.replace("printf(", f"fprintf({stream}, ")
    text = (KERNEL + MAIN).replace("  return 0;", check)
    assert "to[i] = from[i + 1]" in text
    wrong = text.replace("to[i] = from[i + 1]", "to[i] = from[i]")

    assert list_faults(observe(tmp_path, text)) == []
    (kernel,) = observe(tmp_path, wrong).kernels
    assert kernel.fault is not None
    assert kernel.fault.code == "own-check"
    assert "FAILED at 0" in kernel.fault.message


def test_results_that_an_assertion_of_the_host_refuses_are_a_fault(
    tmp_path: Path,
) -> None:
    check = "for (int i = 0; i < n - 1; ++i) assert(values[i] == i + 1);\n  return 0;"
    text = "#include <assert.h>\n" + KERNEL + MAIN.replace("return 0;", check)

    assert list_faults(observe(tmp_path, text)) == []
    (kernel,) = observe(tmp_path, text.replace("from[i + 1]", "from[i]")).kernels
    assert kernel.fault
    assert "Assertion failed" in kernel.fault.message


CLAIM = """#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
__global__ void claim(int* slots, unsigned size, const int* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned slot = keys[i] % size;
  while (atomicCAS(&slots[slot], -1, keys[i]) != -1) slot = (slot + 1) % size;
}
int main() {
  int keys[48], held[64], *slots, *given;
  for (int i = 0; i < 48; ++i) keys[i] = 8 * i;
  cudaMalloc(&slots, sizeof(held));
  cudaMalloc(&given, sizeof(keys));
  cudaMemset(slots, 0xff, sizeof(held));
  cudaMemcpy(given, keys, sizeof(keys), cudaMemcpyHostToDevice);
  claim<<<3, 16>>>(slots, 64, given, 48);
  cudaMemcpy(held, slots, sizeof(held), cudaMemcpyDeviceToHost);
  std::sort(held, held + 64);
  std::sort(keys, keys + 48);
  const bool is_right = std::equal(keys, keys + 48, held + 16);
  puts(is_right ? "PASSED" : "FAILED");
  return !is_right;
}
"""


def test_a_check_may_accept_other_results_of_another_order(tmp_path: Path) -> None:
    (kernel,) = observe(tmp_path, CLAIM).kernels
    assert kernel.fault is None
    assert kernel.is_checked
    assert kernel.may_vary

    ordered = CLAIM.replace("std::sort(held, held + 64);", "")
    (kernel,) = observe(tmp_path, ordered).kernels
    assert not kernel.may_vary


@pytest.mark.parametrize("far", ["from[i + 1 - n * (1u << 20)]", "from[i - 1u - n]"])
def test_an_index_that_wraps_leaves_the_memory_wherever_it_leads(
    tmp_path: Path, far: str
) -> None:
    text = (KERNEL + MAIN).replace("from[i + 1]", far)

    assert list_faults(observe(tmp_path, text)) == ["out-of-bounds"]


TWO_KERNELS = """#include <cstdio>
#include <cuda_runtime.h>
__global__ void fill(int* all, int n) { if (threadIdx.x < n) all[threadIdx.x] = threadIdx.x; }
__global__ void twice(int* all, int n) { if (threadIdx.x < n) all[threadIdx.x] *= 2; }
int main() {
  int *all, seen[40];
  cudaMalloc(&all, sizeof seen);
  fill<<<1, 64>>>(all, 40);
  twice<<<1, 64>>>(all, 40);
  cudaMemcpy(seen, all, sizeof seen, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 40; ++i)
    if (seen[i] != 2 * i) return printf("FAILED at %d\\n", i), 1;
  printf("PASSED\\n");
  return 0;
}
"""


def test_a_refusal_of_what_two_kernels_make_is_a_fault_of_both(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.mkdir()
    wrong.mkdir()
    text = TWO_KERNELS.replace("*= 2;", "*= 3;")

    assert list_faults(observe(right, TWO_KERNELS)) == []
    kernels = observe(wrong, text).kernels
    assert [kernel.fault and kernel.fault.code for kernel in kernels] == 2 * [
        "own-check"
    ]
    assert "2 kernels" in str(kernels[0].fault)
