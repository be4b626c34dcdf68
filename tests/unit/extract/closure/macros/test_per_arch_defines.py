"""A flag that a file sets for some of AMD's devices keeps its condition in a unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crawler.model import Dialect

_HEAD = "#include <hip/hip_runtime.h>\n"
_KERNEL = """#ifndef STUB
#ifdef WIDE
  out[threadIdx.x] = 2;
#else
  out[threadIdx.x] = 1;
#endif
#endif
}
void run(int* out) { hipLaunchKernelGGL(fill, 1, 64, 0, 0, out); }
"""


def _source(project: Callable[..., Any], flags: str) -> str:
    files = {"fill.hip": f"{_HEAD}{flags}__global__ void fill(int* out) {{\n{_KERNEL}"}
    planted = project(files)
    planted.commands = [
        replace(command, dialect=Dialect.HIP) for command in planted.commands
    ]
    (kernel,) = planted.kernels()
    assert kernel.unit is not None
    return str(kernel.unit.source)


def test_a_body_left_out_for_other_devices_is_there_for_its_own(
    project: Callable[..., Any],
) -> None:
    flags = "#if defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx942__)\n  #define STUB  // elsewhere\n#endif\n"
    guard = "#if defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx942__)\n#define STUB"
    assert guard in _source(project, flags)


def test_conditions_of_a_condition_are_kept_too(project: Callable[..., Any]) -> None:
    flags = (
        "#ifndef __gfx1100__\n#if defined(__gfx90a__)\n#define STUB\n#endif\n#endif\n"
    )
    assert (
        "#ifndef __gfx1100__\n#if defined(__gfx90a__)\n#define STUB\n#endif\n#endif"
        in _source(project, flags)
    )


def test_what_is_no_flag_or_asks_for_what_the_project_defines_stays_as_it_is(
    project: Callable[..., Any],
) -> None:
    flags = (
        "#define OURS 1\n#if OURS && !defined(__gfx942__)\n#define STUB\n#endif\n"
        "#if !defined(__gfx942__)\n#define WIDE 1\n#endif\n"
    )
    source = _source(project, flags)
    assert "__gfx942__" not in source
    assert "#define STUB" in source
    assert "#define WIDE 1" in source
