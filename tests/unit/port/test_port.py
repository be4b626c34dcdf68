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


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        (
            'asm("mov.u32 %0, %%laneid;" : "=r"(lane));',
            "(lane) = ::kernelset::ptx::lane_id();",
        ),
        ('asm volatile ( "membar.gl;\\n" ::: "memory" );', "__threadfence();"),
        (
            '__asm__("bfe.u32 %0, %1, " "%2, %3;" : "=r"(a[i]) : "r"(f(b, c)), "r"(d), "r"(8));',
            "(a[i]) = ::kernelset::ptx::bfe<unsigned>(f(b, c), d, 8);",
        ),
        (
            'asm volatile("lop3.b32 %0, %0, %1, 0x0f, %2;" : "+r"(x) : "n"(m), "n"(t));',
            "(x) = ::kernelset::ptx::lop3(x, m, 0x0f, t);",
        ),
        (
            'asm("{redux.sync.max.u32 %0, %1, 0xffffffff;}" : "=r"(d) : "r"(s));',
            "(d) = ::kernelset::ptx::reduce_max(s, 0xffffffff);",
        ),
        (
            'asm("mov.u64 %0, %%globaltimer;" : "=l"(t));',
            "(t) = ::kernelset::ptx::clock();",
        ),
        ('asm volatile("prefetch.global.L2 [%0];" ::"l"(p));', "(void)0;"),
        ('asm("ctv.rn.f64.f32 %0, %1;" : "=d"(x) : "f"(y));', "__builtin_trap();"),
        (
            'asm("{cvta.to.shared.u64 p1, %1\\n cvt.u32.u64 %0, p1;}" : "=r"(x) : "l"(y));',
            "__builtin_trap();",
        ),
        (
            "cudaGridDependencySynchronize();",
            "kernelset_grid_dependency_synchronize();",
        ),
    ],
)
def test_inline_assembly_that_is_a_function_becomes_one(cuda: str, hip: str) -> None:
    ported = port_unit(unit(cuda))
    assert ported.source == hip
    assert ported.port_report is not None
    assert ported.port_report.blockers == ()


@pytest.mark.parametrize(
    ("cuda", "blocker"),
    [
        ('\nasm("ld.param.f32 %0, [%1];" : "=f"(x) : "l"(p));', ("ptx", 2)),
        ('asm("bar.sync %0, %1;" :: "r"(x), "r"(y));', ("ptx", 1)),
        (
            'asm("{ .reg .pred p; l: setp.eq.s32 p, %0, 0; @p bra l; }" :: "r"(x));',
            ("ptx", 1),
        ),
        (
            'asm("lop3.b32 %0, %1, %2, %3, %9;" : "=r"(x) : "r"(a), "r"(b), "r"(c));',
            ("ptx", 1),
        ),
        (
            'asm("add.cc.u32 %0, %0, 1; addc.u32 %1, %1, 0;" : "+r"(x), "+r"(y));',
            ("ptx", 1),
        ),
        (
            'asm("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(s));',
            ("async_copy", 1),
        ),
        (
            'asm("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0}, [%1];" : "=r"(d) : "r"(s));',
            ("mma", 1),
        ),
        ('asm("cp.async.bulk.commit_group;");', ("tma_cluster", 1)),
        ("#include <mma.h>", ("mma", 1)),
        ("\n\nnvcuda::wmma::fragment<int> f;", ("mma", 3)),
        ("__pipeline_memcpy_async(a, b, 16);", ("async_copy", 1)),
        ("#include <cuda/barrier>", ("async_copy", 1)),
        ("__global__ void __cluster_dims__(2, 1, 1) k();", ("tma_cluster", 1)),
        ("texture<float, 2> t;", ("texture_reference", 1)),
        ("#include <cutlass/cutlass.h>", ("cutlass", 1)),
        ("cuda::atomic_ref<int> a(x);", ("libcudacxx", 1)),
        ("cuda::std::atomic<int> a;", ("libcudacxx", 1)),
        ("#include <cuda/std/barrier>", ("libcudacxx", 1)),
        ("__nvvm_get_smem_pointer(p);", ("nvvm_builtin", 1)),
        (
            "__global__ void k() {\n  if (x) { j<<<1, 1>>>(); }\n}",
            ("dynamic_parallelism", 2),
        ),
    ],
)
def test_what_cannot_be_ported_is_named(cuda: str, blocker: tuple[str, int]) -> None:
    report = port_unit(unit(cuda)).port_report
    assert report is not None
    assert blocker in report.blockers


def test_a_library_of_sources_that_a_unit_brings_along_does_not_block_it() -> None:
    own = "namespace cutlass { struct A {}; }\n__global__ void k(cutlass::A a) {}\n"
    assert port_unit(unit(own)).port_report.blockers == ()  # type: ignore[union-attr]
    assert port_unit(unit(own + "cute::B b;")).port_report.blockers == (("cutlass", 3),)  # type: ignore[union-attr]
    assert port_text(own)[1].blockers == (("cutlass", 2),)


@pytest.mark.parametrize(
    "cuda",
    [
        "void launch() { k<<<1, 1>>>(); }",
        "__global__ void k() { } void f() { k<<<1, 1>>>(); }",
        "__global__ void k(); void f() { k<<<1, 1>>>(); }",
        '// asm("bad");\nconst char* s = "asm(nvcuda::wmma)";',
        "at::cuda::f(); int cute = x.texture < 3; my::texture<int> t;",
        'asm volatile("");',
        'asm("cpuid" : "=a"(x));',
        "void cp_async_wait() {} void f() { cp_async_wait(); ldmatrix(3); }",
        'extern "C" { __device__ uint32_t __nvvm_get_smem_pointer(void*); }',
        'asm("ctv.rn.f64.f32 %0, %1;" : "=d"(x) : "f"(y));',
        'asm("v_dot2_f32_f16 %0, %1, %2, %0" : "+v"(a) : "v"(b), "v"(c));',
        "cooperative_groups::this_thread_block().sync();",
        "#include <cuda/std/functional>\nusing Add = cuda::std::plus<>; using Most = cuda :: maximum<>;",
    ],
)
def test_what_can_be_ported_is_not_blocked(cuda: str) -> None:
    report = port_unit(unit(cuda)).port_report
    assert report is not None
    assert report.blockers == ()


@pytest.mark.parametrize(
    ("cuda", "warnings"),
    [
        ("__shfl_sync(0xffffffff, v, 0)", ()),
        ("__ballot_sync(FULL_MASK, v)", ()),
        ("__all_sync(~0u, v)", ()),
        ("__shfl_sync(-1, v, 0)", ()),
        ("\n__shfl_sync(mask, v, 0)", (("mask_not_literal", 2),)),
        ("__any_sync(__activemask(), v)", (("mask_not_literal", 1),)),
        ("int lane = threadIdx.x % 32;", (("warp_size_assumption", 1),)),
        ("int lane = threadIdx.x & 31;", (("warp_size_assumption", 1),)),
        ("for (int i = warpSize / 2; i; i /= 2) {}", (("warp_size_assumption", 1),)),
        ("int x = y % 32;", ()),
    ],
)
def test_what_may_mean_something_else_is_a_warning(
    cuda: str, warnings: tuple[tuple[str, int], ...]
) -> None:
    report = port_unit(unit(cuda)).port_report
    assert report is not None
    assert report.warnings == warnings


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


@pytest.mark.parametrize(
    ("template", "made"),
    [
        (
            "cvt.rn.satfinite.e2m1x2.f32 %0, %1, %2;",
            "codes_of<::kernelset::ptx::E2M1>(::kernelset::ptx::as<float>(ks_2), ",
        ),
        (
            "cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;",
            "codes_of<::kernelset::ptx::E5M2>(::kernelset::ptx::as<__half2>(ks_1))",
        ),
        (
            "cvt.rn.f16x2.e4m3x2 %0, %1;",
            "halves_of<::kernelset::ptx::E4M3>(::kernelset::ptx::as<unsigned short>(ks_1))",
        ),
        ("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;", ""),
        ("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;", ""),
        ("cvt.rn.e4m3x2.f32 %0, %1, %2;", ""),
    ],
)
def test_pairs_of_small_floats_in_assembly(template: str, made: str) -> None:
    ported, report = port_text(f'asm("{template}" : "=h"(d) : "f"(a), "f"(b));\n')
    assert (made in ported) if made else ("asm(" in ported)
    assert bool(report.blockers) == (not made)


def test_assembly_that_is_closed_far_away_or_never_is_read_like_any_other() -> None:
    far = 'asm("mov.u32 %0, %%laneid;" : "=r"(x' + " " * 10_000 + "));"
    assert "::kernelset::ptx::lane_id()" in port_unit(unit(far)).source
    assert (
        "::kernelset::ptx::lane_id()"
        in port_unit(unit("asm( " + far.replace(" " * 10_000, ""))).source
    )


@pytest.mark.timeout(60)
def test_assembly_that_is_never_closed_costs_no_more_than_its_length() -> None:
    assert port_text("asm(" * 100_000)[1].blockers == ()


def test_a_unit_keeps_to_the_toolkit_that_it_was_cut_out_for_and_a_file_to_none() -> (
    None
):
    cuda_macros = "#if CUDA_VERSION >= 9000 && __CUDACC_VER_MAJOR__ > 8 && CUDART_VERSION\n#endif\n"
    own_macros = "#if KERNELSET_CUDA_VERSION >= 9000 && KERNELSET_CUDACC_VER_MAJOR > 8 && KERNELSET_CUDA_VERSION\n#endif\n"
    assert port_unit(unit(cuda_macros)).source == own_macros
    assert port_text(cuda_macros)[0] == cuda_macros


NAMED_TEMPLATE = """#if __CUDA_ARCH__ >= 350
#define LOAD "ld.global" ".nc.u32"  // by the read-only cache
#else
#define LOAD "ld.global.u32"
#endif
void f() { asm(LOAD " %0, [%1];" : "=r"(x) : "l"(p)); }
"""


def test_a_macro_that_stands_for_a_text_is_read_in_an_assembly() -> None:
    text, report = port_text(NAMED_TEMPLATE)
    assert "asm" not in text
    assert "load<unsigned>" in text
    assert report.blockers == ()


@pytest.mark.parametrize(
    "change", ["#if __CUDA_ARCH__ >= 350/#if SOME", "#define LOAD/#define MORE"]
)
def test_an_assembly_of_unknown_text_stays_and_is_said(change: str) -> None:
    before, after = change.split("/")
    text, report = port_text(NAMED_TEMPLATE.replace(before, after))
    assert "asm(LOAD" in text
    assert [code for code, _ in report.blockers] == ["ptx"]


def test_many_blank_lines_before_an_assembly_cost_little() -> None:
    text = "\n" * 300_000 + NAMED_TEMPLATE
    assert "asm" not in port_text(text)[0]
