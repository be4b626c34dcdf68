"""Measures, features and the class of a kernel, by its text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.extract.computation import computation
from crawler.extract.measures import measures
from crawler.extract.tags import tags
from crawler.model import Kernel, KernelRecord

RECORDS = decode((Path(__file__).parents[2] / "fixtures/records.json").read_bytes(), tuple[KernelRecord, ...])


def kernel(source: str, name: str = "k") -> Kernel:
    span = replace(RECORDS[0].kernel.span, line=1, end_line=source.count("\n") + 1)
    return replace(RECORDS[0].kernel, name=name, source=source, span=span, unit=None, launches=())


def test_complexity_counts_branches_in_the_body_but_none_in_comments() -> None:
    counted = measures(
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
    assert counted.cyclomatic_complexity == 9
    assert (counted.lines, counted.code_lines, counted.nesting, counted.loops) == (8, 6, 3, 1)


@pytest.mark.parametrize(
    ("source", "name", "kind"),
    [
        ("int i = threadIdx.x; if (i < n) out[i] = in[i] * 2;", "k", "elementwise"),
        ("out[i] = in[index[i]];", "take", "gather-scatter"),
        ("v += __shfl_down_sync(~0u, v, 16); for (int s = 64; s > 0; s >>= 1) {}", "k", "reduction"),
        ("for (int p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];", "tile", "matrix-product"),
        ("using S = cub::BlockScan<int, 128>;", "k", "scan"),
        ("int a = 1; __syncthreads();", "k", "other"),
        ("__syncthreads();", "BitonicStep", "sort"),
    ],
)
def test_a_class_is_guessed_from_code_and_names(source: str, name: str, kind: str) -> None:
    found = computation(kernel("__global__ void k(float* out) { " + source + " }", name))
    assert found.kind == kind
    assert bool(found.evidence) is (kind != "other")
    assert f"class:{kind}" in tags(kernel("__global__ void k(float* out) { " + source + " }", name))


@pytest.mark.parametrize(
    ("source", "tag"),
    [
        ("extern __shared__ float s[];", "uses:dynamic-shared-memory"),
        ('asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::);', "uses:async-copy"),
        ('asm("mma.sync.aligned.m16n8k8");', "uses:tensor-cores"),
        ("child<<<1, 2>>>(out);", "uses:dynamic-parallelism"),
        ("float4 v;", "uses:vector-types"),
        ("int lane = threadIdx.x % warpSize;", "uses:warp-size"),
    ],
)
def test_a_feature_is_a_tag_unless_only_a_comment_names_it(source: str, tag: str) -> None:
    assert tag in tags(kernel("__global__ void k() { " + source + " }"))
    assert tag not in tags(kernel("__global__ void k() { /* " + source + " */ }"))


def test_a_branching_kernel_is_complex() -> None:
    assert "complex" in tags(kernel("__global__ void k(int n) { " + "if (n) n = 1; " * 16 + "}"))
    assert "complex" not in tags(kernel("__global__ void k(int n) { if (n) n = 1; }"))
