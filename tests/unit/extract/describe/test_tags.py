"""Tags say which features a kernel uses, how large it is and what state it needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.describe.tags import compute_tags, tag_generated_kernels
from crawler.model import Instantiation, Kernel, Launch, Layer, Rung, Span
from tests.plain import HERE, plain_kernel, plain_unit

LAUNCH = Launch(span=HERE, kernel_name="k", grid="1", block="1")


def make_kernel(body: str = "", **facts: Any) -> Kernel:
    source = f"__global__ void k(float* p) {{\n{body}\n}}"
    return plain_kernel(plain_unit(source), source=source, **facts)


def list_uses(body: str) -> set[str]:
    tags = compute_tags(make_kernel(body))
    return {tag.removeprefix("uses:") for tag in tags if tag.startswith("uses:")}


@pytest.mark.parametrize(
    ("body", "uses"),
    [
        ("__shared__ float s[8];", {"shared-memory"}),
        ("extern __shared__ float s[];", {"shared-memory", "dynamic-shared-memory"}),
        (
            "extern __align__(16) __shared__ char s[];",
            {"shared-memory", "dynamic-shared-memory"},
        ),
        (
            "HIP_DYNAMIC_SHARED(float, s)",
            {"shared-memory", "dynamic-shared-memory"},
        ),
        ("atomicAdd(p, 1.f);", {"atomics"}),
        ("gpuAtomicAddNoReturn(p, 1.f);", {"atomics"}),
        ("cuda::atomic_ref<float> a(*p);", {"atomics"}),
        ("p[0] = __shfl_xor_sync(~0u, p[0], 1);", {"warp"}),
        ("if (__any_sync(~0u, p[0])) return;", {"warp"}),
        ("p[threadIdx.x / warpSize] = 0;", {"warp-size"}),
        ("p[threadIdx.x / C10_WARP_SIZE] = 0;", {"warp-size"}),
        ("p[threadIdx.x / kWarpSize] = 0;", {"warp-size"}),
        ("__syncthreads_or(1);", {"barrier"}),
        ('asm volatile("bar.sync 0;");', {"ptx"}),
        ('__asm__("trap;");', {"ptx"}),
        ("wmma::fragment<x> f;", {"tensor-cores"}),
        ('asm("cp.async.bulk.x;");', {"ptx", "async-copy", "tma"}),
        ("cg::this_thread_block().sync();", {"cooperative-groups"}),
        ("p[0] = tex2D<float>(t, 0, 0);", {"texture"}),
        ("hipcub::BlockReduce<float, 8> r;", {"cub"}),
        ("thrust::swap(p[0], p[1]);", {"thrust"}),
        ("curandState s;", {"random"}),
        ("child<<<1, 1>>>(p);", {"dynamic-parallelism"}),
        ("float4 v = {};", {"vector-types"}),
        ("half2 v = {};", {"vector-types", "half"}),
        ("c10::BFloat16 v;", {"bfloat16"}),
        ("c10::Float8_e4m3fn v;", {"fp8"}),
        ('printf("%f", p[0]);', {"printf"}),
        ("p[0] = 1;", set()),
    ],
)
def test_a_feature_is_known_by_what_stands_in_code(body: str, uses: set[str]) -> None:
    assert list_uses(body) == uses


@pytest.mark.parametrize(
    "body",
    [
        "// atomicAdd(p, 1); __syncthreads();",
        "/* __shared__ float s[8]; float4 v; */",
        "p[0] = my__shared__;",
        "int asmx = fprintf(p, 1);",
        "int warpSizes = float3x4 + subhalf;",
        "int context1D = textured;",
    ],
)
def test_comments_and_longer_names_are_no_feature(body: str) -> None:
    assert list_uses(body) == set()


def test_with_a_unit_what_the_kernel_calls_counts() -> None:
    source = "__global__ void k(float* p) { helper(p); }"
    helper = "__device__ void helper(float* p) { atomicAdd(p, 1.f); }\n"
    kernel = plain_kernel(plain_unit(helper + source), source=source)
    assert "uses:atomics" in compute_tags(kernel)
    alone = replace(kernel, unit=None)
    assert "uses:atomics" not in compute_tags(alone)


@pytest.mark.parametrize(
    ("lines", "tag"), [(1, "trivial"), (3, ""), (298, ""), (299, "large")]
)
def test_size_is_counted_in_lines(lines: int, tag: str) -> None:
    body = "\n".join(["p[0] = 1;"] * lines)
    span = Span(path="a.cu", line=5, end_line=6 + lines, offset=0, end_offset=1)
    tags = set(compute_tags(make_kernel(body, span=span)))
    assert tags & {"trivial", "large"} == ({tag} if tag else set())


@pytest.mark.parametrize(("branches", "is_complex"), [(14, False), (15, True)])
def test_complexity_is_counted_in_branches(branches: int, is_complex: bool) -> None:
    body = "\n".join(f"if (p[{number}]) p[0] = 1;" for number in range(branches))
    assert ("complex" in compute_tags(make_kernel(body))) is is_complex


def test_a_kernel_that_nothing_launches_says_so() -> None:
    assert "never-launched" in compute_tags(make_kernel())
    assert "never-launched" not in compute_tags(make_kernel(launches=(LAUNCH,)))
    # launches of kernels in strings are not searched for
    in_string = make_kernel(found_by=Layer.STRING)
    assert "never-launched" not in compute_tags(in_string)


@pytest.mark.parametrize(
    ("rung", "tag"),
    [(Rung.MINIMAL, ""), (Rung.REDUCED, "unit:reduced"), (Rung.WIDE, "unit:wide")],
)
def test_a_unit_that_is_not_minimal_says_so(rung: Rung, tag: str) -> None:
    kernel = plain_kernel(plain_unit("", rung=rung))
    tags = [tag for tag in compute_tags(kernel) if tag.startswith("unit:")]
    assert tags == ([tag] if tag else [])


def test_instantiations_that_the_unit_leaves_out_are_many() -> None:
    first, other = (
        Instantiation(arguments=(name,), label=name) for name in ("float", "half")
    )
    unit = plain_unit("", first)
    for instantiations, is_tagged in (((first,), False), ((first, other), True)):
        kernel = plain_kernel(unit, instantiations=instantiations)
        assert ("many-instantiations" in compute_tags(kernel)) is is_tagged


def test_templates_libraries_and_assumed_types_are_told() -> None:
    unit = plain_unit(
        "", libraries=(("cutlass", "4.2"),), assumed=("Row", "#define TILE 4")
    )
    kernel = plain_kernel(unit, template_head="template <typename T>")
    tags = compute_tags(kernel)
    assert {"assumed-types", "assumed-macros"} <= set(tags)
    assert {"template", "library:cutlass:4.2"} <= set(tags)
    assert list(tags) == sorted(tags)
    assert not {"template", "assumed-types"} & set(compute_tags(make_kernel()))


def test_kernels_in_generated_files_are_tagged_and_no_other() -> None:
    place = Span(path="build/gen.cu", line=1, end_line=2, offset=0, end_offset=1)
    kernels = (make_kernel(span=place, tags=("template",)), make_kernel())
    generated, written = tag_generated_kernels(kernels, {"build/gen.cu"})
    assert generated.tags == ("generated", "template")
    assert written == kernels[1]
