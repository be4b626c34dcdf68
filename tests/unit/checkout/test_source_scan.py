from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.checkout.source_scan import Include, get_suffix, scan_source


def includes(text: str) -> list[str]:
    return [include.name for include in scan_source(text.encode()).includes]


def test_includes_are_found_with_their_brackets() -> None:
    includes_found = scan_source(
        b'#include "a.h"\n  #  include <b/c.h> // why\n#import "d.h"\n#include_next <e.h>\n'
    ).includes
    assert includes_found == (
        Include("a.h", True),
        Include("b/c.h", False),
        Include("d.h", True),
        Include("e.h", False),
    )


@pytest.mark.parametrize(
    "text",
    [
        '// #include "a.h"\n',
        '/*\n#include "a.h"\n*/\n',
        'int x; #include "a.h"\n',
        '#include MACRO\n#define X "a.h"\n',
        '// sources: src/*.cu\n#include <b.h>\n/* #include "a.h" */\n',
    ],
)
def test_what_is_no_include_is_not_taken(text: str) -> None:
    assert "a.h" not in includes(text)


def test_a_glob_in_a_line_comment_opens_no_block_comment() -> None:
    assert includes('// see src/*.cu\n#include "a.h"\n/* end */') == ["a.h"]


@pytest.mark.parametrize(
    ("text", "kernels", "launches"),
    [
        ("__global__ void k(int*p);", True, False),
        ("// __global__ void k();", False, False),
        ('const char* s = R"(\n__global__ void k() {}\n)";', False, False),
        ('const char* s = "__global__";', False, False),
        ("#define KERNEL __global__ void\n", False, False),
        ("void f() { k<<<1, 2>>>(p); }", False, True),
        ("void f() { k<float><<<g, b, 0, s>>>(p); }", False, True),
        ("<<<<<<< HEAD\nint x;\n>>>>>>> other\n", False, False),
        ("hipLaunchKernelGGL(k, dim3(1), dim3(1), 0, 0, p);", False, True),
        ("cudaLaunchKernelEx(&config, k, p);", False, True),
        ("#define LAUNCH(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n", False, True),
        ("std::cout << x << y;", False, False),
        ("int n = 1'000'000; __global__ void k();", True, False),
    ],
)
def test_device_code_is_told_from_what_looks_like_it(
    text: str, kernels: bool, launches: bool
) -> None:
    skimmed = scan_source(text.encode())
    assert (skimmed.has_kernels, skimmed.has_launches) == (kernels, launches)


def test_macros_for_global_are_named() -> None:
    assert scan_source(
        b"#define MY_KERNEL(x) \\\n  __global__ void x\n"
    ).global_aliases == ("MY_KERNEL",)


def test_tested_macros_are_collected() -> None:
    text = b"#ifdef WITH_CUDA\n#elif defined(USE_X) && \\\n  VERSION > 3\n#endif\n#ifndef GUARD_H\n"
    assert scan_source(text).tested_macros == {
        "WITH_CUDA",
        "USE_X",
        "VERSION",
        "GUARD_H",
    }


def test_names_under_hip_conditions_do_not_make_a_cuda_file_hip() -> None:
    text = b"""#include <cuda_fp16.h>
#if defined(USE_ROCM)
void f(hipblasHandle_t h) { hipblasHgemm(h); hipblasCreate(h); hipblasSet(h); }
#endif
void g() { cudaMalloc(0, 0); }
"""
    skimmed = scan_source(text)
    assert skimmed.cuda_name_count > skimmed.hip_name_count == 0


def test_the_else_of_a_cuda_condition_keeps_counting() -> None:
    assert (
        scan_source(
            b"#ifndef USE_ROCM\ncudaFree(p);\n#else\nhipFree(p);\nhipFree(q);\n#endif\n"
        ).hip_name_count
        == 0
    )


@pytest.mark.parametrize(
    ("path", "expected"), [("a/B.CU", "cu"), ("a.b/Makefile", ""), ("x.cu.h", "h")]
)
def test_suffix(path: str, expected: str) -> None:
    assert get_suffix(path) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=400)
    | st.text(alphabet="#include\"<>/*\\\n'R() _global", max_size=400).map(str.encode)
)
def test_any_bytes_can_be_skimmed(content: bytes) -> None:
    assert all("\n" not in include.name for include in scan_source(content).includes)


@pytest.mark.parametrize(
    "piece",
    [
        '\\"',
        "/*",
        "#if ",
        "#include <",
        "'",
        '"',
        'R"x(',
        "#define a \\\n",
        "<<<",
        "//",
        "__global__ \\\n#",
    ],
)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    content = ("__global__ <<<\n" + piece * (400_000 // len(piece))).encode()
    started = time.process_time()
    scan_source(content)
    assert time.process_time() - started < 8
