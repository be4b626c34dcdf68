"""A project's own namespace `cuda` is none of libcu++'s."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.closure.includes.libcudacxx_names import OwnCudaNamespace
from tests.unit.extract.builders import unit_of

LIBCUDACXX = "#include <kernelset/libcudacxx.h>"


@pytest.mark.parametrize(
    ("text", "is_libcudacxx"),
    [
        ("cuda::atomic_ref<int> a(x);", True),
        ("int n = cuda::StaticCast(x);", False),
        ("cuda::StaticCast(cuda::std::min(a, b));", True),
        ("at::cuda::stream();", False),
    ],
)
def test_what_no_project_declares_is_of_libcudacxx(
    text: str, is_libcudacxx: bool
) -> None:
    own = OwnCudaNamespace(names=frozenset({"StaticCast"}))
    assert own.leaves_libcudacxx(text) is is_libcudacxx


@pytest.mark.parametrize(
    ("declarations", "is_included"),
    [
        (
            "namespace lib::cuda { __device__ int f() { return 1; } } namespace cuda = lib::cuda;",
            False,
        ),
        (
            "namespace lib::cuda { __device__ int f() { return 1; } } using namespace lib;",
            False,
        ),
        # an enumerator of that name is no namespace
        ("enum Backend { cpu, cuda }; struct A { int f; };", True),
    ],
)
def test_a_unit_includes_libcudacxx_where_it_is_meant(
    project: Callable[..., Any], declarations: str, is_included: bool
) -> None:
    call = "cuda::std::numeric_limits<int>::max()" if is_included else "cuda::f()"
    text = f"""#include <cuda/std/limits>
{declarations}
__global__ void k(int* x) {{ x[0] = {call}; }}
"""
    [kernel] = project({"a.cu": text}).kernels()
    assert (LIBCUDACXX in unit_of(kernel).source) is is_included
