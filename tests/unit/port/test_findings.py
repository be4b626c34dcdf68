"""What stands in the way of a port, and what may mean something else on AMD."""

from __future__ import annotations

import pytest

from crawler.port.port import port_text, port_unit
from tests.unit.port.units import make_unit


def list_blockers(source: str) -> tuple[tuple[str, int], ...]:
    report = port_unit(make_unit(source)).port_report
    assert report is not None
    return report.blockers


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
    report = port_unit(make_unit(cuda)).port_report
    assert report is not None
    assert blocker in report.blockers


def test_a_library_of_sources_that_a_unit_brings_along_does_not_block_it() -> None:
    own = "namespace cutlass { struct A {}; }\n__global__ void k(cutlass::A a) {}\n"
    assert list_blockers(own) == ()
    assert list_blockers(f"{own}cute::B b;") == (("cutlass", 3),)
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
    report = port_unit(make_unit(cuda)).port_report
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
    report = port_unit(make_unit(cuda)).port_report
    assert report is not None
    assert report.warnings == warnings


@pytest.mark.parametrize(
    ("header", "blocker"),
    [
        ("cooperative_groups/memcpy_async.h", "async_copy"),
        ("cuda/pipeline", "async_copy"),
        ("cuda/atomic", "libcudacxx"),
        ("nv/target", "libcudacxx"),
        ("cute/tensor.hpp", "cutlass"),
        ("cudaTypedefs.h", "tma_cluster"),
        ("texture_fetch_functions.h", "texture_reference"),
    ],
)
def test_a_header_that_hip_lacks_blocks(header: str, blocker: str) -> None:
    _, report = port_text(f"\n#include <{header}>\n")
    assert report.blockers == ((blocker, 2),)


@pytest.mark.parametrize(
    "header",
    ["cuda/functional", "cuda/std/utility", "cub/cub.cuh", "my/cutlass/x.h", "cuda.h"],
)
def test_a_header_that_hip_has_blocks_nothing(header: str) -> None:
    assert port_text(f"#include <{header}>\n")[1].blockers == ()


def test_a_class_is_named_once_a_line_and_lines_are_in_order() -> None:
    text = "cute::A a; cute::B b;\nnvcuda::C c; cute::D d;\n"
    blockers = (("cutlass", 1), ("cutlass", 2), ("mma", 2))
    assert port_text(text)[1].blockers == blockers


def test_what_amds_compiler_never_sees_blocks_nothing() -> None:
    text = "#if __CUDA_ARCH__ >= 800\ncute::A a;\n#else\ncute::B b;\n#endif\n"
    assert port_text(text)[1].blockers == (("cutlass", 4),)


@pytest.mark.parametrize(
    "text",
    [
        "x.texture<2>(); p->cutlass::f();",
        "int cute = 3; f(cutlass);",
        "extern float __nvvm_shfl(float);",
        "cuda::std::numeric_limits<int>::max();",
        "cuda::minimum<int>{}(a, b);",
        "my::cuda::barrier b;",
    ],
)
def test_a_name_that_means_something_else_blocks_nothing(text: str) -> None:
    assert port_text(text)[1].blockers == ()


@pytest.mark.parametrize(
    ("text", "blocker"),
    [
        ("return __nvvm_shfl(x);", "nvvm_builtin"),
        ("y = __builtin_nvvm_shfl(x);", "nvvm_builtin"),
        ("cuda::std::counting_semaphore<> s;", "libcudacxx"),
        ("cuda::minimum_of<int>{}(a, b);", "libcudacxx"),
        ("return ::cuda::atomic_ref<int>(x);", "libcudacxx"),
        ("::cuda::barrier<> b;", "libcudacxx"),
        ("texture < float > t;", "texture_reference"),
        ("cudaLaunchDevice(f);", "dynamic_parallelism"),
    ],
)
def test_a_name_that_hip_lacks_blocks(text: str, blocker: str) -> None:
    assert port_text(text)[1].blockers == ((blocker, 1),)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("__device__ void f() {\n { g<<<1, 1>>>(); }\n}", [2]),
        ("__device__ void f();\nvoid h() { g<<<1, 1>>>(); }", []),
        ("__global__ void f() {}\nvoid h() { g<<<1, 1>>>(); }", []),
        ("__global__ void f() { {} g<<<1, 1>>>();\n g<<<1, 1>>>(); }", [1, 2]),
        ("} } __global__ void f() { g<<<1, 1>>>(); }", [1]),
    ],
)
def test_a_launch_blocks_in_the_body_of_a_device_function(
    text: str, lines: list[int]
) -> None:
    blockers = tuple(("dynamic_parallelism", line) for line in lines)
    assert port_text(text)[1].blockers == blockers


@pytest.mark.parametrize(
    ("text", "is_warned_of"),
    [
        ("int lane = threadIdx.x / 32u;", True),
        ("int lane = threadIdx.x & 0x1F;", True),
        ("int lane = (threadIdx.x) % 32;", False),
        ("int lane = threadIdx.x % 320;", False),
        ("int lane = threadIdx.x % 32.5;", False),
        ("int lane = blockIdx.x % 32; f(threadIdx);", False),
        ("// threadIdx.x % 32", False),
    ],
)
def test_lanes_are_warned_of_where_a_thread_is_counted_by_32(
    text: str, is_warned_of: bool
) -> None:
    assert bool(port_text(text)[1].warnings) == is_warned_of


@pytest.mark.parametrize(
    ("call", "is_warned_of"),
    [
        ("__match_any_sync(m, v)", True),
        ("__reduce_add_sync(m, v)", True),
        ("__shfl_up_sync(MY_MASK_ALL, v, 1)", False),
        ("__shfl_up_sync(UINT_MAX, v, 1)", False),
        ("__shfl_up_sync(0xffffffffULL, v, 1)", False),
        ("__shfl_up_sync( - 1 , v, 1)", False),
        ("__shfl_up_sync(-1 + k, v, 1)", True),
        ("f(__shfl_up_sync)", False),
        ("__shfl_up(v, 1)", False),
    ],
)
def test_a_mask_is_warned_of_where_it_is_no_constant(
    call: str, is_warned_of: bool
) -> None:
    warnings = (("mask_not_literal", 1),) if is_warned_of else ()
    assert port_text(f"x = {call};")[1].warnings == warnings
