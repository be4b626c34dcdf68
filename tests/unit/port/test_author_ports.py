"""A CUDA kernel knows the HIP version that its own author wrote, and no other kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Dialect, Kernel, Parameter, TemplateParameter
from crawler.port.author_ports import (
    AUTHOR_PORT_TAG,
    attach_author_ports,
    drop_platform,
    drop_platform_from_path,
)
from tests.unit.storage.samples import make_kernel

SAXPY = """\
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
SCAN = """\
__global__ void saxpy(float a, const float* x, float* y, int n) {
  __shared__ float parts[256];
  parts[threadIdx.x] = x[threadIdx.x];
  for (int step = 1; step < 256; step *= 2) { __syncthreads(); y[step] += parts[step]; }
}
"""


def put(
    path: str,
    name: str = "saxpy",
    names: str = "a x y n",
    *,
    offset: int = 0,
    templates: int = 0,
    source: str = SAXPY,
) -> Kernel:
    """A kernel in the dialect that its path names."""
    kernel = make_kernel(
        name,
        offset,
        source=source,
        dialect=Dialect.HIP if "hip" in path.lower() else Dialect.CUDA,
        parameters=tuple(Parameter(name=name, type="int") for name in names.split()),
        template_parameters=(TemplateParameter(name="T", kind="type"),) * templates,
    )
    return replace(kernel, span=replace(kernel.span, path=path))


def find_ports(*kernels: Kernel) -> dict[str, str]:
    """Path of a CUDA kernel to that of its author's version."""
    return {
        kernel.span.path: kernel.author_port.path
        for kernel in attach_author_ports(kernels)
        if kernel.author_port
    }


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("src/sort-cuda/main.cu", "src/sort-hip/main.cu"),
        ("csrc/cuda/sort.cu", "csrc/hip/sort.hip"),
        ("csrc/sort.cu", "csrc/sort.hip.cpp"),
        ("magmablas/sort.cu", "magmablas_hip/sort.hip.cpp"),
        ("benchmark-cuda.cu", "benchmark-hip.cpp"),
        ("cudaSort.cu", "hipSort.cpp"),
        ("NVIDIA/sort.cuh", "HIP/sort.hpp"),
    ],
)
def test_places_that_differ_in_the_platform_hold_versions(cuda: str, hip: str) -> None:
    # however different the texts are: their author wrote the one for the other
    other = put("other/hip/saxpy.hip", names="a x y n z")
    assert find_ports(put(cuda), put(hip, source=SCAN), other) == {cuda: hip}


def test_the_version_names_the_very_definition() -> None:
    cuda, hip = put("cuda/a.cu", offset=7), put("hip/a.hip", offset=99)
    ported, unchanged = attach_author_ports([cuda, hip])
    assert ported.author_port == hip.span
    assert ported.tags == (AUTHOR_PORT_TAG,)
    assert unchanged == hip


def test_a_name_may_say_the_platform_too() -> None:
    kernels = (
        put("cuda/a.cu", "saxpy_cuda_kernel"),
        put("hip/a.hip", "saxpy_hip_kernel"),
    )
    assert find_ports(*kernels) == {"cuda/a.cu": "hip/a.hip"}


@pytest.mark.parametrize(
    "hip",
    [
        put("hip/a.hip", "saxpby"),
        put("hip/a.hip", names="a x y"),
        put("hip/a.hip", templates=1),
        put("hip/b.hip", source=SCAN),
    ],
    ids=["name", "parameters", "template", "place"],
)
def test_another_kernel_is_no_version(hip: Kernel) -> None:
    assert not find_ports(put("cuda/a.cu"), hip)


def test_overloads_are_told_apart_by_their_parameters() -> None:
    ports = attach_author_ports(
        [
            put("cuda/a.cu", names="a x y n", offset=1),
            put("cuda/a.cu", names="b u v n", offset=2),
            put("hip/a.hip", names="b u v n", offset=3),
            put("hip/a.hip", names="a x y n", offset=4),
        ]
    )
    offsets = [kernel.author_port and kernel.author_port.offset for kernel in ports]
    assert offsets == [4, 3, None, None]


def test_what_fits_two_kernels_is_the_version_of_none() -> None:
    twice = [put("cuda/a.cu", offset=1), put("cuda/a.cu", offset=2)]
    assert not find_ports(*twice, put("hip/a.hip"))
    assert not find_ports(
        put("cuda/a.cu"), put("hip/a.hip"), put("hip/a.hip", offset=9)
    )


def test_elsewhere_only_a_text_that_is_alike_is_a_version() -> None:
    cuda, hip = put("nv/first.cu"), put("amd_hip/second.cpp")
    assert find_ports(cuda, hip) == {"nv/first.cu": "amd_hip/second.cpp"}
    assert not find_ports(cuda, replace(hip, source=SCAN))
    assert not find_ports(cuda, hip, put("third_hip/third.cpp"))


def test_what_was_said_before_is_said_no_more() -> None:
    kernels = attach_author_ports([put("cuda/a.cu"), put("hip/a.hip")])
    (alone,) = attach_author_ports(kernels[:1])
    assert alone == put("cuda/a.cu")


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("softmax_hip", "softmax"),
        ("cuda-softmax", "softmax"),
        ("hipSoftmax", "Softmax"),
        ("ship", "ship"),
        ("barracuda", "barracuda"),
        ("cu", ""),
        ("", ""),
    ],
)
def test_only_a_word_of_its_own_names_a_platform(name: str, bare: str) -> None:
    assert drop_platform(name) == bare


def test_a_path_keeps_its_folders_and_what_is_no_suffix() -> None:
    assert drop_platform_from_path("src/sort-hip/main.hip.cpp") == "src/sort/main"
    assert drop_platform_from_path("hip/v1.2/a.b.cu") == "v1_2/a_b"
    assert drop_platform_from_path("src/.cu") == "src"
