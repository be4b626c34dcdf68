"""A kernel that a macro makes together with its launcher stands in its unit by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.extract.closure.macros.expanded_definition import expand_kernel_macro
from crawler.model import Closure, Rung, Status
from crawler.validate.build import build_unit

DEFINE = """#define DEVICE_FN static __device__
#define DEFINE_UNARY(name, operation) \\
DEVICE_FN float name##_of(float x) { return operation; } \\
__global__ void name##_kernel(int n, const float* x, float* y) { \\
  for (int i = 0; i < n; ++i) y[i] = name##_of(x[i]); \\
} \\
template <> \\
void run_##name<float>(int n, const float* x, float* y) { \\
  /* all */ \\
  name##_kernel<<<count_blocks(n), 64>>>(n, x, y); \\
}"""
USE = "namespace own {\n/* é */ DEFINE_UNARY(half, x / 2);\n}"


def make_closure(*fragments: str) -> Closure:
    return Closure(includes=("<kernelset/cuda.cuh>",), fragments=fragments)


def test_what_is_for_the_host_goes() -> None:
    expanded = expand_kernel_macro(make_closure(DEFINE, USE))
    assert expanded is not None
    assert expanded.rung is Rung.MENDED
    assert expanded.fragments == (
        DEFINE,
        "namespace own {\n"
        "/* é */ DEVICE_FN float half_of(float x) { return x / 2; }\n"
        "__global__ void half_kernel(int n, const float* x, float* y) {\n"
        "  for (int i = 0; i < n; ++i) y[i] = half_of(x[i]);\n"
        "}\n"
        "}",
    )


def test_letters_of_any_script_and_parted_chevrons_stay_what_they_are() -> None:
    define = DEFINE.replace("<<<count_blocks(n), 64>>>", "<< <count_blocks(n), 64>> >")
    use = 'DEFINE_UNARY(half, say("→ é", x));'
    expanded = expand_kernel_macro(make_closure(define, use))
    assert expanded is not None
    assert 'half_of(float x) { return say("→ é", x); }' in expanded.fragments[1]
    assert expanded.fragments[1].endswith("y[i] = half_of(x[i]);\n}\n")


def test_a_kernel_that_no_macro_makes_is_left_alone() -> None:
    assert expand_kernel_macro(make_closure("__global__ void k() {}")) is None
    assert expand_kernel_macro(make_closure(DEFINE, "__global__ void k() {}")) is None
    assert expand_kernel_macro(make_closure(DEFINE, "DEFINE_UNARY(half, x")) is None


def test_a_launcher_needs_nothing_that_a_missing_header_has(
    project: Callable[..., Any],
) -> None:
    # which declares `count_blocks` and `run_half`
    source = f'#include "absent.h"\n{DEFINE}\n{USE}\n'
    (kernel,) = project({"k.cu": source}).kernels()
    assert kernel.unit.rung is Rung.MENDED
    assert "run_half" not in kernel.unit.source
    verdict = build_unit(kernel.unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")
