"""Switches that leave to the host what a kernel names are on where the flags of a unit are made
up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import FlagsOrigin, Kernel
from crawler.validate.build import build_unit

_HEADER = """#pragma once
#ifndef WITH_TINY
#define WITH_TINY 0
#endif
#ifndef WITH_OTHER
#define WITH_OTHER 0
#endif
struct Tiny { unsigned char bits; };
template <class To, class From>
#if WITH_TINY
__host__ __device__ To converted(From x);
#else
__host__ To converted(From x);
#endif
template <>
#if WITH_TINY
inline __host__ __device__ float converted<float, Tiny>(Tiny x)
#else
inline __host__ float converted<float, Tiny>(Tiny x)
#endif
{ return x.bits; }
#if WITH_OTHER
__host__ __device__ inline int unused() { return 1; }
#else
__host__ inline int unused() { return 1; }
#endif
"""
_KERNEL = """#include "tiny.h"
__host__ __device__ float read(Tiny x) { return converted<float>(x); }
__global__ void widen(const Tiny* in, float* out) { *out = read(*in); }
void run(const Tiny* in, float* out) { widen<<<1, 1>>>(in, out); }
"""
_FILES = {"tiny.h": _HEADER, "widen.cu": _KERNEL}


@pytest.fixture(scope="module")
def kernel(project: Callable[..., Any]) -> Kernel:
    (kernel,) = project(_FILES).kernels()
    assert isinstance(kernel, Kernel)
    return kernel


def test_a_switch_gives_devices_what_a_kernel_names(kernel: Kernel) -> None:
    assert kernel.unit is not None
    assert "#define WITH_TINY 1" in kernel.unit.source
    assert "WITH_OTHER" not in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_the_facts_are_those_of_the_command_as_it_was(
    project: Callable[..., Any],
) -> None:
    planted = project(_FILES)
    assert [facts.command for facts in planted.facts()] == planted.commands


def test_what_a_build_says_is_left_as_it_is(project: Callable[..., Any]) -> None:
    planted = project(_FILES)
    recorded = replace(planted.commands[0], origin=FlagsOrigin.RECORDED)
    (kernel,) = extract_unit_facts(planted.root, recorded).kernels
    assert kernel.closure is not None
    assert not any("WITH_TINY 1" in fragment for fragment in kernel.closure.fragments)
