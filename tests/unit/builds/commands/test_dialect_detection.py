from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
TRANSLATED = """#include <cuda_runtime.h>
cudaStream_t stream() {{ cudaFree(0); return nullptr; }}
__global__ void k(int* p) {{
{}
  *p = __builtin_amdgcn_sdot4(1, 2, 3, false);
#endif
}}
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("k.cu", KERNEL, Dialect.CUDA),
        ("k.hip", KERNEL, Dialect.HIP),
        ("k.cu", f"#include <hip/hip_runtime.h>\n{KERNEL}", Dialect.HIP),
        (
            "k.cu",
            f"{KERNEL}void f() {{ hipLaunchKernelGGL(k, 1, 1, 0, 0); hipFree(0); }}",
            Dialect.HIP,
        ),
        (
            "k.hip",
            f"#include <cuda_runtime.h>\n{KERNEL}void f() {{ cudaFree(0); }}",
            Dialect.CUDA,
        ),
        ("k.cpp", f"#include <hip/hip_runtime.h>\n{KERNEL}", Dialect.HIP),
        ("host.cpp", "int f() { return cudaFree(0); }", None),
        ("k.cuh", KERNEL, Dialect.CUDA),
        ("k.cu", TRANSLATED.format("#if defined(__GFX11__)"), Dialect.HIP),
        ("k.cu", TRANSLATED.format("#ifdef USE_ROCM"), Dialect.CUDA),
    ],
)
def test_content_decides(
    plant: Plant, name: str, text: str, expected: Dialect | None
) -> None:
    assert detect_dialect(name, plant({name: text})) is expected


def test_a_source_that_only_includes_speaks_as_the_device_code_that_it_includes(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "k.cu": '#include "compat.h"\n#include "k.cuh"\n',
            "compat.h": "inline void f() { cudaFree(0); cudaFree(0); }",
            "k.cuh": f"#include <hip/hip_runtime.h>\n{KERNEL}",
        }
    )
    assert detect_dialect("k.cu", graph) is Dialect.HIP
