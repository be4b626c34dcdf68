"""Porting a unit or a file: what changes, what never does, and what is said about it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.errors import PortFailed
from crawler.model import Dialect, Instantiation, KernelUnit
from crawler.port import port as porting
from crawler.port.port import port_text, port_unit
from crawler.port.tables import RENAMED_HEADERS, RENAMED_NAMES

SNIPPETS = (
    *sorted(RENAMED_NAMES)[::7],
    *(f"#include <{header}>\n" for header in RENAMED_HEADERS),
    *(
        '"cudaMalloc"',
        "// cudaFree\n",
        "/* cub::Sum */",
        "'c'",
        "#error cudaFree\n",
        'R"(cudaFree)"',
    ),
    *(
        "cub::",
        "namespace ",
        "cub",
        " = ",
        ".",
        "->",
        "::",
        "at",
        " ",
        "\n",
        "(",
        ")",
        ";",
        "__shfl_sync(m, 1)",
    ),
    'asm volatile("mov.u32 %0, %%laneid;" : "=r"(__nv_bfloat16(x)));',
    'asm("membar.gl;" ::: "memory")',
    "template <class T> __device__ T min(T a, T b) { return a; }",
    *("{", "}", "\\", "#"),
    *("half2 ", "x", "[x]", " = {};"),
)
source_like = st.lists(
    st.sampled_from(SNIPPETS) | st.text(max_size=2), max_size=40
).map("".join)
UNTOUCHED = frozenset(
    {TokenKind.STRING, TokenKind.CHARACTER, TokenKind.COMMENT, TokenKind.MESSAGE}
)


def unit(
    source: str, dialect: Dialect = Dialect.CUDA, *instantiations: Instantiation
) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="k",
        instantiations=instantiations,
        prelude="",
        digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
        token_digest="",
    )


@given(source_like)
def test_porting_twice_is_porting_once(text: str) -> None:
    once, _ = port_text(text)
    twice, report = port_text(once)
    assert twice == once
    assert report.changes == ()


@given(source_like)
def test_strings_characters_comments_and_messages_never_change(text: str) -> None:
    without_assembly = text.replace("asm", "").replace("template", "")
    ported = port_unit(unit(without_assembly)).source
    assert _list_untouched_texts(ported) == _list_untouched_texts(without_assembly)


@given(source_like)
def test_a_hip_unit_comes_back_unchanged(text: str) -> None:
    ported = port_unit(unit(text))
    assert port_unit(ported) is ported
    assert port_unit(unit(text, Dialect.HIP)) == unit(text, Dialect.HIP)


def test_a_unit_is_ported_with_its_identity() -> None:
    half = Instantiation(
        arguments=("__nv_bfloat16",),
        label="bfloat16",
        symbol="_Z1kI13__nv_bfloat16EvPT_",
    )
    single = Instantiation(arguments=("float",), label="float", symbol="_Z1kIfEvPT_")
    cuda = unit(
        "#include <kernelset/torch.cuh>\ncudaStream_t s;\n", Dialect.CUDA, half, single
    )
    hip = port_unit(cuda)
    assert hip.source == "#include <kernelset/torch.hip.h>\nhipStream_t s;\n"
    assert hip.dialect is Dialect.HIP
    assert hip.ported_from == cuda.digest
    assert hip.digest == hashlib.sha256(hip.source.encode()).hexdigest()
    assert [item.arguments for item in hip.instantiations] == [
        ("__hip_bfloat16",),
        ("float",),
    ]
    assert [item.symbol for item in hip.instantiations] == ["", "_Z1kIfEvPT_"]
    assert hip.port_report is not None
    assert [
        (change.rule, change.line, change.before) for change in hip.port_report.changes
    ] == [
        ("header", 1, "<kernelset/torch.cuh>"),
        ("runtime", 2, "cudaStream_t"),
    ]


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMalloc(&p, n);", "hipMalloc(&p, n);"),
        ("cudaMallocHost(&p, n);", "hipHostMalloc(&p, n);"),
        ("__half_raw r = {0x7C00};", "kernelset_half_raw r = {0x7C00};"),
        ("k<<<g, b, 0, s>>>(x);", "k<<<g, b, 0, s>>>(x);"),
        ("my_cudaMalloc(cudaMallocX);", "my_cudaMalloc(cudaMallocX);"),
        ("state.cudaMalloc(this->cudaFree);", "state.cudaMalloc(this->cudaFree);"),
        ("cub::BlockReduce<T, 4>", "hipcub::BlockReduce<T, 4>"),
        ("::cub::Sum()", "::hipcub::Sum()"),
        ("using namespace cub;", "using namespace hipcub;"),
        ("namespace c = cub;", "namespace c = hipcub;"),
        ("int cub = other::cub::x;", "int cub = other::cub::x;"),
        ("curand_init(1, 2, 3, &s)", "hiprand_init(1, 2, 3, &s)"),
        ("#ifdef __CUDACC__\n", "#ifdef __HIPCC__\n"),
        ("#if __CUDA_ARCH__ >= 600\n", "#if KERNELSET_CUDA_ARCH >= 600\n"),
        ('#include "cuda_fp16.h"\n', "#include <hip/hip_fp16.h>\n"),
        ("#include <cub/block/block_scan.cuh>\n", "#include <hipcub/hipcub.hpp>\n"),
        ("#define STR(x) #x cudaFree\n", "#define STR(x) #x hipFree\n"),
        ("#error cudaFree isn't\n", "#error cudaFree isn't\n"),
        ("__shfl_down_sync(0xffffffff, v, 1)", "__shfl_down_sync(0xffffffff, v, 1)"),
    ],
)
def test_rules(cuda: str, hip: str) -> None:
    assert port_unit(unit(cuda)).source == hip


def test_a_whole_file_gets_the_header_that_it_needs() -> None:
    plain, report = port_text("__global__ void k() {}\n")
    assert plain == "#include <hip/hip_runtime.h>\n__global__ void k() {}\n"
    assert report.changes[0].after == "#include <hip/hip_runtime.h>"
    voting, _ = port_text(
        "#include <cuda_runtime.h>\n__global__ void k() { __ballot_sync(~0u, 1); }\n"
    )
    assert voting.startswith(
        "#include <kernelset/hip.h>\n#include <hip/hip_runtime.h>\n"
    )
    assert port_text("int main() { return 0; }\n")[0] == "int main() { return 0; }\n"


def test_a_text_that_is_no_source_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(porting, "MAX_TEXT_LENGTH", 10)
    with pytest.raises(PortFailed, match="no source file") as caught:
        port_text("x" * 11)
    assert caught.value.code == "port-too-large"


def test_a_unit_keeps_the_branch_that_it_was_cut_out_with_and_a_file_takes_its_own() -> (
    None
):
    text = "#if defined(__HIP_PLATFORM_AMD__) || defined(__HIPCC__)\nours();\n"
    text += "#elif defined(__CUDACC__)\ntheirs();\n#endif\n"
    cut = port_unit(unit(text)).source
    assert (
        "#if defined(KERNELSET_WRITTEN_FOR_HIP) || defined(KERNELSET_WRITTEN_FOR_HIP)\n"
        in cut
    )
    assert "#elif defined(__HIPCC__)\n" in cut
    whole, _ = port_text(text)
    assert "#if defined(__HIP_PLATFORM_AMD__) || defined(__HIPCC__)\n" in whole


def test_a_change_has_its_line_also_below_assembly_of_several_lines() -> None:
    text = 'asm("membar.gl;"\n\n);\ncudaFree(a);\n'
    text += 'asm("prmt.b32 %0, %1, %2, %3;"\n: "=r"(x) : "r"(cudaSuccess),\n"r"(b), "r"(c)); f();\ncudaFree(b);'
    _, report = port_text(text)
    places = [
        (change.rule, change.line)
        for change in report.changes
        if change.rule != "header"
    ]
    assert places == [
        ("ptx", 1),
        ("runtime", 4),
        ("ptx", 5),
        ("runtime", 5),
        ("runtime", 8),
    ]


def test_hostile_nesting_costs_linear_time() -> None:
    for hostile in ("asm(", "(", "__shfl_sync(", 'asm("', "{", "cub::"):
        assert len(port_text(hostile * 20_000)[0]) >= len(hostile) * 20_000


def _list_untouched_texts(text: str) -> list[str]:
    return [token.text for token in tokenize(text) if token.kind in UNTOUCHED]


@pytest.mark.parametrize(
    "first", ["#include <hip/hip_fp16.h>", "hipStream_t s;", "__hip_bfloat16 b;"]
)
def test_a_type_that_both_have_is_hips_where_a_text_speaks_hip(first: str) -> None:
    text = f"#include <kernelset/hip.h>\n{first}\n__half_raw r;\n"
    assert port_text(text)[0] == text


def test_a_type_that_both_have_is_cudas_elsewhere() -> None:
    ported, report = port_text("__device__ __half2_raw r = {1, 2};\n")
    assert (
        ported
        == "#include <kernelset/hip.h>\n__device__ kernelset_half2_raw r = {1, 2};\n"
    )
    assert [change.rule for change in report.changes] == ["header", "type"]


def test_a_unit_keeps_to_the_toolkit_that_it_was_cut_out_for_and_a_file_to_none() -> (
    None
):
    cuda_macros = "#if CUDA_VERSION >= 9000 && __CUDACC_VER_MAJOR__ > 8 && CUDART_VERSION\n#endif\n"
    own_macros = "#if KERNELSET_CUDA_VERSION >= 9000 && KERNELSET_CUDACC_VER_MAJOR > 8 && KERNELSET_CUDA_VERSION\n#endif\n"
    assert port_unit(unit(cuda_macros)).source == own_macros
    assert port_text(cuda_macros)[0] == cuda_macros
