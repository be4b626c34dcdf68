"""The text of the program that a unit becomes."""

from __future__ import annotations

import hashlib

import pytest

from crawler.model import Dialect, Instantiation, KernelUnit
from crawler.validate.emulator.source.program_source import (
    build_program_source,
    list_entry_names,
)


def unit(source: str, *arguments: str, name: str = "k") -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=Dialect.CUDA,
        kernel_name=name,
        instantiations=tuple(
            Instantiation(arguments=(type_name,), label=type_name)
            for type_name in arguments
        ),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("extern __shared__ float s[];", " float (&s)[] = kernelset::Dynamic();"),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "__align__(16) unsigned char (&s)[] = kernelset",
        ),
        (
            "extern volatile __shared__ T s[][32];",
            "volatile  T (&s)[][32] = kernelset::Dynamic();",
        ),
        (
            "#define SMEM extern __shared__ int s[];\n",
            "#define SMEM   int (&s)[] = kernelset::Dynamic();\n",
        ),
    ],
)
def test_dynamic_shared_memory_is_bound_to_the_launchs(before: str, after: str) -> None:
    assert after in build_program_source(unit(f"__global__ void k() {{ {before} }}\n"))


@pytest.mark.parametrize(
    "declaration",
    [
        'extern "C" void f();',
        "extern int a; __shared__ int b[3];",
        "// extern __shared__ int s[];",
    ],
)
def test_other_declarations_stay(declaration: str) -> None:
    assert declaration in build_program_source(
        unit(f"{declaration}\n__global__ void k() {{}}\n")
    )


def test_each_line_of_the_unit_keeps_its_number() -> None:
    source = (
        "// one\n__global__ void k() {\n  extern __shared__ int s[];\n  s[0] = 1;\n}\n"
    )
    assert build_program_source(unit(source)).split("\n")[3] == "  s[0] = 1;"


def test_entries_stand_in_the_order_of_the_instantiations() -> None:
    lines = "".join(
        f"template __global__ decltype(k<{type_name}>) k<{type_name}>;\n"
        for type_name in ("float", "int")
    )
    templated_unit = unit(
        f"template <class T> __global__ void k(T* a) {{}}\n{lines}", "float", "int"
    )
    assert list_entry_names(templated_unit) == ("k<float>", "k<int>")
    assert (
        "KERNELSET_KERNEL(&k<float>),\n  KERNELSET_KERNEL(&k<int>))"
        in build_program_source(templated_unit)
    )


def test_an_explicit_specialisation_is_told_by_its_parameters() -> None:
    head = "template <class T> __global__ void k(T* a, int n) {}\n"
    unnamed = unit(f"{head}template <> __global__ void k(half* a, int n) {{}}\n")
    named = unit(f"{head}template <>\n__global__ void k<half>(half* a, int n) {{}}\n")
    assert (
        "KERNELSET_KERNEL(static_cast<void (*)(half* a, int n)>(&k))"
        in build_program_source(unnamed)
    )
    assert "KERNELSET_KERNEL(&k<half>)" in build_program_source(named)


def test_a_cuda_units_twin_for_the_host_goes_too_since_projects_of_both_have_them() -> (
    None
):
    twins = "struct U {\n  static __host__ int lanes();\n  static __device__ constexpr int lanes() { return 32; }\n};\n"
    text = build_program_source(
        unit(f"{twins}__global__ void k(int* out) {{ *out = U::lanes(); }}\n")
    )
    assert "__host__" not in text
    assert "__device__ constexpr int lanes()" in text
