"""Kernels that use Thrust, and how they are extracted."""

from __future__ import annotations

from pathlib import Path

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, Dialect, FlagsOrigin, Kernel, KernelUnit

KERNEL = """\
#include <thrust/detail/vector_base.h>
__global__ void scale(thrust::detail::vector_base<float> v) { v.first[threadIdx.x] *= 2; }
void run(float *x) { scale<<<1, 32>>>({x}); }
"""
PAIR = """\
#include <thrust/pair.h>
__global__ void swap(thrust::pair<int, int> p, int *x) { x[0] = p.second; }
void run(int *x) { swap<<<1, 1>>>(thrust::make_pair(1, 2), x); }
"""


def extract_kernel(
    root: Path, text: str, dialect: Dialect = Dialect.CUDA, **files: str
) -> Kernel:
    root.mkdir(exist_ok=True)
    (root / "a.cu").write_text(text)
    for name, content in files.items():
        (root / f"{name}.h").write_text(content)

    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=dialect,
        origin=FlagsOrigin.EXPORTED,
    )
    [kernel] = link_kernels([extract_unit_facts(root, command)])
    return kernel


def list_includes(unit: KernelUnit) -> list[str]:
    return [line for line in unit.source.splitlines() if line.startswith("#include")]


def plant_command(root: Path, text: str) -> CompileCommand:
    (root / "a.cu").write_text(text)
    return CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
