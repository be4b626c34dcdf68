"""Preprocessed sources of programs as host C++."""

from __future__ import annotations

from crawler.validate.programs.host_build.host_source import (
    KernelPlace,
    translate_source,
)

HEAD = '# 1 "/checkout/a.cu"\n'


class Numbers:
    def __init__(self) -> None:
        self.places: list[KernelPlace] = []

    def __call__(self, place: KernelPlace) -> int:
        self.places.append(place)
        return len(self.places) - 1


def translate(text: str) -> tuple[str, list[KernelPlace]]:
    numbers = Numbers()
    return translate_source(HEAD + text, numbers), numbers.places


def test_a_kernel_says_its_number_where_its_body_begins() -> None:
    text, places = translate(
        "\ntemplate <class T>\n__global__ void k(T* x) { x[0]; }\n"
    )

    call = "::kernelset::enter_kernel(0, __PRETTY_FUNCTION__, x);"
    entry = f"if (::kernelset::entered_kernel < 0) {call}"
    skip = "if (::kernelset::is_skipped) return;"
    assert f"void k(T* x) {{ {entry} {skip} x[0]; }}" in text
    assert places == [KernelPlace(path="/checkout/a.cu", line=3)]


def test_a_declaration_of_a_kernel_has_no_number() -> None:
    text, places = translate("__global__ void k(int n = sizeof(int{}));\n")

    assert places == []
    assert "__global__" not in text


def test_words_of_sides_and_memory_are_gone() -> None:
    text, _ = translate("__host__ __device__ int f() { __shared__ int s[4]; }\n")

    assert "__host__" not in text
    assert 'section("ks_shared")' in text


def test_dynamic_shared_memory_is_bound_to_the_launch() -> None:
    text, _ = translate("__global__ void k() { extern __shared__ float tile[]; }\n")

    assert "float (&tile)[] = kernelset::Dynamic()" in text


def test_a_kernel_that_is_launched_by_its_address_keeps_its_type() -> None:
    text, _ = translate("int f() { cudaLaunchKernel((void*)k<int>, g, b, a, 0, 0); }\n")

    assert "cudaLaunchKernel(k<int>, g, b, a, 0, 0)" in text


def test_a_system_header_keeps_its_launch_marks() -> None:
    text = translate_source(
        '# 1 "/usr/include/x.h" 1 3\nint operator<<<(int);\n', Numbers()
    )

    assert "operator<<<" in text


def test_what_assembly_becomes_has_no_macros_left() -> None:
    text, _ = translate(
        "__device__ void f(int v, int* p) {\n"
        'asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v));\n'
        'asm volatile("exit;");\n}\n'
    )

    assert "store_ordered<unsigned, 3, 5>" in text
    assert "__ATOMIC" not in text
    assert "__builtin_amdgcn_endpgm" not in text


def test_a_launch_whose_chevrons_a_formatter_parted_is_one() -> None:
    text, _ = translate("void f(int n) { k << < n, 2 >> > (n); }\n")

    assert "::kernelset::configure_launch(n, 2).start(" in text


def test_a_launch_in_a_system_header_is_a_call() -> None:
    text = translate_source(
        '# 1 "/usr/include/x.h" 1 3\nint before;\n'
        '# 1 "/usr/include/y.h" 1 3\nvoid f(int n) {\n  k<<<n, 2>>>(n);\n}\n'
        '# 3 "/usr/include/x.h" 2 3\nint after;\n',
        Numbers(),
    )

    assert "::kernelset::configure_launch(n, 2).start(" in text
    assert text.count("\n") == 8
