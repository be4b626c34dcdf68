"""Which of AMD's devices a CPU stands for: the one that the kernel's own branches name, else
its unit's.
"""

from __future__ import annotations

import hashlib

import pytest

from crawler.model import Dialect, KernelUnit
from crawler.validate.emulator.source.architecture import choose_architecture

PRODUCT = """#ifdef __gfx94__
#define WIDE
#endif
__device__ float product() {
#ifdef __gfx11__
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32();
#endif
}"""
KERNEL = """#include <kernelset/hip.h>
{above}
__global__ void other(int* p) {{
#if defined(__gfx1030__)
  *p = 1;
#endif
}}
__global__ void k(int* p);
template <class T> __global__ __launch_bounds__(64) void k(T* p)
{{
{body}
}}
"""


def unit(above: str, body: str, dialect: Dialect = Dialect.HIP) -> KernelUnit:
    source = KERNEL.format(above=above, body=body)
    digest = hashlib.sha256(source.encode()).hexdigest()
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="k",
        instantiations=(),
        prelude="",
        digest=digest,
        token_digest="",
    )


@pytest.mark.parametrize(
    ("above", "body", "name", "lanes"),
    [
        (
            "",
            "#if defined(__gfx908__) || defined(__gfx90a__)\n *p = 1;\n#endif",
            "gfx90a",
            64,
        ),
        (
            "",
            "#if defined(__gfx942__) || defined(__gfx950__)\n *p = 1;\n#endif",
            "gfx942",
            64,
        ),
        (
            "#if defined(__gfx90a__)\n#define WIDE\n#endif",
            "// not } here\n#ifdef __gfx11__\n *p = 1;\n#endif",
            "gfx1100",
            32,
        ),
        (
            "#if defined(__gfx90a__)\n#define WIDE\n#endif",
            "#ifdef __gfx11__\n *p = 1;\n#endif",
            "gfx1100",
            32,
        ),
        (
            "#if defined(__gfx90a__) || defined(__gfx1100__)\n#define WIDE\n#endif",
            "*p = 1;",
            "gfx90a",
            64,
        ),
        (PRODUCT, "*p = product();", "gfx1100", 32),
        (PRODUCT, "#ifdef __gfx12__\n *p = 1;\n#endif\n*p = product();", "gfx1100", 32),
        (PRODUCT, "#ifdef __gfx942__\n *p = product();\n#endif", "gfx942", 64),
        ("", "*p = 1;", "", 32),
    ],
)
def test_the_kernels_own_branches_say_for_which_device_it_is(
    above: str, body: str, name: str, lanes: int
) -> None:
    architecture = choose_architecture(unit(above, body))
    assert (architecture.name, architecture.warp_size) == (name, lanes)


def test_products_of_64_lanes_want_64_where_nothing_is_named() -> None:
    source = "#include <kernelset/hip.h>\n__global__ void k(float* p) { *p = __builtin_amdgcn_mfma_f32_4x4x1f32(); }\n"
    architecture = choose_architecture(
        KernelUnit(
            source=source,
            dialect=Dialect.HIP,
            kernel_name="k",
            instantiations=(),
            prelude="",
            digest="d",
            token_digest="",
        )
    )
    assert (architecture.name, architecture.warp_size) == ("gfx90a", 64)


def test_a_unit_of_cuda_is_for_none_of_them() -> None:
    assert (
        choose_architecture(
            unit("", "#ifdef __gfx90a__\n#endif", Dialect.CUDA)
        ).macro_flags
        == ()
    )


def test_a_device_goes_by_the_names_that_projects_give_its_family() -> None:
    architecture = choose_architecture(
        unit("", "#if defined(__gfx11__) || defined(__gfx12__)\n#endif")
    )
    assert architecture.name == "gfx1100"
    assert {"-D__gfx1100__=1", "-D__GFX11__=1", "-D__gfx11__=1"} <= set(
        architecture.macro_flags
    )
    assert "-D__gfx12__=1" not in architecture.macro_flags
