"""Launches by the calls of HIP are read like those of CUDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Kernel
from tests.unit.extract.launches.launch_sources import HEADER, configuration, launch_in

HIP = """#include <hip/hip_runtime.h>
#include "kernels.cuh"
void calls(float* out, hipStream_t s) {
  hipLaunchKernelGGL(plain, dim3(3), dim3(64), 0, s, out, 4);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(tiled<float, 4>), dim3(1), dim3(64), 128, s, out);
  hipLaunchKernelGGL((tiled<int, 8>), 2, 64, 0, 0, nullptr);
  void* args[] = {&out};
  hipLaunchKernel(reinterpret_cast<const void*>(&tiled<char, 2>), dim3(1), dim3(2), args, 0, s);
}
template <typename T> void host(T* out, hipStream_t s) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(tiled<T, 32>), dim3(1), dim3(64), 0, s, out);
}
#define INSTANTIATE(T) template void host<T>(T*, hipStream_t);
INSTANTIATE(short)
INSTANTIATE(long)
"""


@pytest.fixture(scope="module")
def hip(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"kernels.cuh": HEADER, "launch.hip": HIP}).kernels())


def test_hip_launches_are_read_by_their_own_calls(hip: dict[str, Kernel]) -> None:
    launch = launch_in(hip["plain"], "calls")
    assert configuration(launch) == ("dim3(3)", "dim3(64)", "0", "s")
    assert launch.argument_map == (("out", "out"), ("n", "4"))
    by_name, in_parentheses, by_array = (
        launch_in(hip["tiled"], "calls", index) for index in range(3)
    )
    assert configuration(by_name) == ("dim3(1)", "dim3(64)", "128", "s")
    assert by_name.template_arguments == (("float", "4"),)
    assert in_parentheses.template_arguments == (("int", "8"),)
    assert by_array.template_arguments == (("char", "2"),)
    assert by_array.argument_map == (("out", "out"),)


def test_hip_launches_in_host_templates_have_types(hip: dict[str, Kernel]) -> None:
    assert launch_in(hip["tiled"], "host").template_arguments == (
        ("short", "32"),
        ("long", "32"),
    )


def test_no_launch_is_invented(hip: dict[str, Kernel]) -> None:
    assert {name: len(kernel.launches) for name, kernel in hip.items()} == {
        "scale": 0,
        "plain": 1,
        "tiled": 4,
    }
