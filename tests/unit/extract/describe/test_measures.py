"""Measures, features and the class of a kernel, by its text."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.codec import decode
from crawler.extract.describe.kernel_class import classify_computation
from crawler.extract.describe.measures import measure_kernel
from crawler.extract.describe.tags import FEATURE_PATTERNS, compute_tags
from crawler.model import Kernel, KernelRecord, Layer

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)


def kernel(source: str, name: str = "k") -> Kernel:
    span = replace(RECORDS[0].kernel.span, line=1, end_line=source.count("\n") + 1)
    return replace(
        RECORDS[0].kernel, name=name, source=source, span=span, unit=None, launches=()
    )


def with_unit(plain: Kernel, source: str) -> Kernel:
    unit = RECORDS[0].kernel.unit
    assert unit
    return replace(plain, unit=replace(unit, source=source))


def test_complexity_counts_branches_in_the_body_but_none_in_comments() -> None:
    measures = measure_kernel(
        kernel(
            "__global__ void k(int n) {\n"
            "  // if (a && b) for while ?\n"
            "  for (int i = 0; i < n && i != 3; ++i) {\n"
            '    if (i > 1 || n) { printf("if // (?:"); } else if (n) { n = i ? 1 : 2; }\n'
            "  }\n"
            "\n"
            "  switch (n) { case 1: case 2: break; }\n"
            "}"
        )
    )
    assert measures.cyclomatic_complexity == 9
    assert (measures.lines, measures.code_lines, measures.nesting, measures.loops) == (
        8,
        6,
        3,
        1,
    )


def test_a_raw_string_hides_no_code_and_its_text_is_no_comment() -> None:
    measures = measure_kernel(
        kernel(
            'void k(int n) {\n  print(R"(a " // b)"); if (n) n = 1\'000;\n'
            "  print(L'\"'); // if (n)\n}"
        )
    )
    assert measures.cyclomatic_complexity == 2


@pytest.mark.parametrize(
    ("source", "name", "kind"),
    [
        ("int i = threadIdx.x; if (i < n) out[i] = in[i] * 2;", "k", "elementwise"),
        ("out[i] = in[index[i]];", "take", "gather-scatter"),
        (
            "v += __shfl_down_sync(~0u, v, 16); for (int s = 64; s > 0; s >>= 1) {}",
            "k",
            "reduction",
        ),
        (
            "for (int p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];",
            "tile",
            "matrix-product",
        ),
        ("using S = cub::BlockScan<int, 128>;", "row_scan", "scan"),
        ("int a = 1; __syncthreads();", "k", "other"),
        ("__syncthreads();", "BitonicStep", "other"),
        ("if (a[i] > a[j]) swap(a[i], a[j]); __syncthreads();", "BitonicStep", "sort"),
        (
            "for (int k = 0; k < n; ++k) { float d = f(k); if (d < best) { best = d; at = k; } } out[0] = at;",
            "k",
            "search",
        ),
        (
            "for (int k = 0; k < n; ++k) if (a[k] > t) { out[count++] = k; }",
            "k",
            "other",
        ),
        (
            "__shared__ int t[9]; t[threadIdx.x] = a[i]; __syncthreads(); out[j] = t[threadIdx.y];",
            "k",
            "gather-scatter",
        ),
        (
            "for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) out[y * w + x] = in[x * h + y];",
            "k",
            "gather-scatter",
        ),
        ("int to = where[i]; out[to] = in[i] + 1;", "k", "gather-scatter"),
        (
            "float sum = 0; for (int k = 0; k < n; ++k) sum += f(a[k]); __syncthreads(); out[i] = sum;",
            "row_sum",
            "reduction",
        ),
        (
            "for (int i = first; i < n; i += gridDim.x * blockDim.x) { out[i] = a[i]; b[i + 1] = 2; }",
            "k",
            "elementwise",
        ),
        (
            "float s = rsqrtf(var[c] + eps); for (;;) for (;;) { out[i] = s; }",
            "k",
            "normalisation",
        ),
        (
            "int to = where[i]; out[to] = in[i] + 1;",
            "broadcast_kernel",
            "gather-scatter",
        ),
        ("for (;;) for (;;) p = int(q);", "cast_kernel", "elementwise"),
        ("__syncthreads(); float w = min(a, b);", "nms_cuda", "pairwise"),
        ("__syncthreads(); for (;;) m = max(m, a[i]);", "maxPoolForward", "stencil"),
        ("int c = i / 3; out[c] = in[i];", "im2col_kernel", "convolution"),
    ],
)
def test_a_class_is_guessed_from_code_and_names(
    source: str, name: str, kind: str
) -> None:
    computation = classify_computation(
        kernel("__global__ void k(float* out) { " + source + " }", name)
    )
    assert computation.kind == kind
    assert bool(computation.evidence) is (kind != "other")
    assert f"class:{kind}" in compute_tags(
        kernel("__global__ void k(float* out) { " + source + " }", name)
    )


def test_what_is_called_bears_out_a_name_that_the_kernel_itself_does_not() -> None:
    called = "__device__ void f(float* o) { o[0] += __shfl_xor_sync(~0u, o[1], 1); }\n"
    source = "__global__ void k(float* o) { f(o); }"
    named = kernel(source, "row_max")
    assert classify_computation(named).kind == "other"
    assert classify_computation(with_unit(named, called + source)).kind == "reduction"
    assert (
        classify_computation(with_unit(kernel(source), called + source)).kind == "other"
    )


def test_hostile_text_is_judged_in_time_that_grows_with_it() -> None:
    for piece in (
        "a[",
        "a[]",
        "a[1] = b[",
        "if (a < b) {",
        "rsqrt(eps",
        "x += ",
        "[i++] =",
        "{ b = a; =",
    ):
        began = time.process_time()
        classify_computation(kernel("__global__ void k() {" + piece * 20_000))
        assert time.process_time() - began < 20, piece


def test_a_kernel_in_a_string_is_launched_by_what_no_unit_shows() -> None:
    plain = kernel("__global__ void k() {}")
    assert "never-launched" in compute_tags(plain)
    assert "never-launched" not in compute_tags(replace(plain, found_by=Layer.STRING))


@pytest.mark.parametrize(
    ("source", "tag"),
    [
        ("extern __shared__ float s[];", "uses:dynamic-shared-memory"),
        (
            'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::);',
            "uses:async-copy",
        ),
        ('asm("mma.sync.aligned.m16n8k8");', "uses:tensor-cores"),
        ("child<<<1, 2>>>(out);", "uses:dynamic-parallelism"),
        ("float4 v;", "uses:vector-types"),
        ("int lane = threadIdx.x % warpSize;", "uses:warp-size"),
    ],
)
def test_a_feature_is_a_tag_unless_only_a_comment_names_it(
    source: str, tag: str
) -> None:
    assert tag in compute_tags(kernel("__global__ void k() { " + source + " }"))
    assert tag not in compute_tags(
        kernel("__global__ void k() { /* " + source + " */ }")
    )


def test_a_branching_kernel_is_complex() -> None:
    assert "complex" in compute_tags(
        kernel("__global__ void k(int n) { " + "if (n) n = 1; " * 16 + "}")
    )
    assert "complex" not in compute_tags(
        kernel("__global__ void k(int n) { if (n) n = 1; }")
    )


@pytest.mark.parametrize("tag", FEATURE_PATTERNS)
def test_what_matches_a_feature_holds_one_of_its_literals(tag: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(st.from_regex(FEATURE_PATTERNS[tag].pattern))
    def holds(text: str) -> None:
        assert FEATURE_PATTERNS[tag].is_in(text)

    holds()


def test_the_closure_is_what_a_unit_carries_beside_its_kernel() -> None:
    own = "__global__ void k(Big* big) {\n  big->step();\n}\n"
    member = "  int step();  // one of very many\n\n"
    frame = "#include <kernelset/cuda.h>\n"
    instantiation = "template __global__ decltype(k<int>) k<int>;\n"
    few, many = (
        with_unit(
            kernel(own),
            f"{frame}struct Big {{\n{member * count}}};\n{own}{instantiation}",
        )
        for count in (3, 299)
    )
    assert measure_kernel(few).closure_lines == 3 + 2
    assert "high-dependency" not in compute_tags(few)
    assert measure_kernel(many).closure_lines == 299 + 2
    assert "high-dependency" in compute_tags(many)
    assert measure_kernel(kernel(own)).closure_lines == 0
