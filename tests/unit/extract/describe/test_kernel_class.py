"""What a kernel computes, guessed by its name and by what its code does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.extract.describe.kernel_class import UNCLASSIFIED, classify_computation
from crawler.extract.describe.kernel_class_rules import (
    NAME_NEEDS,
    NAME_RULES,
    STRONG_CODE_RULES,
    WEAK_CODE_RULES,
)
from crawler.model import Kernel
from tests.plain import plain_kernel, plain_unit


def make_kernel(name: str = "k", body: str = "") -> Kernel:
    source = f"__global__ void {name}(float* p, int n) {{\n{body}\n}}"
    return plain_kernel(plain_unit(source), source=source, name=name)


ANY_NAME_BODY = """__syncthreads(); float s = 0;
for (int i = 0; i < n; ++i) { s += a[i] * b[i]; if (s > m) m = s / 2; atomicAdd(&p[i], s); }
p[j] = rand_state(q[j]) / (t - r) >> 1;"""
"""Has something of what each class looks like, and not enough for any."""


def classify_name(name: str) -> str:
    return classify_computation(make_kernel(name, ANY_NAME_BODY)).kind


def classify_body(body: str) -> tuple[str, tuple[str, ...]]:
    computation = classify_computation(make_kernel(body=body))
    return computation.kind, computation.evidence


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sgemm_nt", "matrix-product"),
        ("batched_mm", "matrix-product"),
        ("wmmaTile", "matrix-product"),
        ("im2colKernel", "convolution"),
        ("conv2d_forward", "convolution"),
        ("bitonicSort", "sort"),
        ("topk_rows", "sort"),
        ("inclusive_scan", "scan"),
        ("cumsumRows", "scan"),
        ("bincount", "histogram"),
        ("pagedAttention", "attention"),
        ("rmsNormalize", "normalisation"),
        ("softmax_warp", "normalisation"),
        ("ball_query", "search"),
        ("nmsKernel", "pairwise"),
        ("boxIou3d", "pairwise"),
        ("cdist", "pairwise"),
        ("rasterizeTriangles", "rendering"),
        ("ray_march", "rendering"),
        ("transposeTiles", "transpose"),
        ("row_sum", "reduction"),
        ("argmaxRows", "reduction"),
        ("scatterAdd", "gather-scatter"),
        ("embeddingLookup", "gather-scatter"),
        ("avg_pool", "stencil"),
        ("gaussianBlur", "stencil"),
        ("dropout_mask", "random"),
        ("spmvRows", "sparse"),
        ("dequantize_int4", "quantisation"),
    ],
)
def test_a_name_says_what_a_kernel_computes(name: str, kind: str) -> None:
    assert classify_name(name) == kind


@pytest.mark.parametrize(
    "name",
    [
        "convert_types",
        "convex_hull",
        "resume",
        "maximal_work",
        "unhistorical",
        "broadcast_rows",
        "strand_walk",
        "operand_fetch",
        "warp_alignment_score",
        "presorted_input",
        "TextureNormalized",
    ],
)
def test_a_part_of_another_word_says_nothing(name: str) -> None:
    assert classify_name(name) == UNCLASSIFIED


def test_threads_that_do_nothing_together_work_by_themselves() -> None:
    assert classify_body("use(n);")[0] == UNCLASSIFIED
    kind, evidence = classify_body("p[i] = n; p[i + 1] = n;")
    assert kind == "elementwise"
    assert evidence == ("code: each thread works by itself, without a loop",)


def test_each_class_of_names_can_be_met() -> None:
    # one that an earlier one hides would never be the answer
    assert len({kind for kind, _ in NAME_RULES}) == len(NAME_RULES)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("wmma::mma_sync(c, a, b, c);", "matrix-product"),
        ("s += a[i * n + k] * b[k * n + j];", "matrix-product"),
        ("t[y][x] = q[i]; __syncthreads(); p[i] = t[x][y];", "transpose"),
        (
            "for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);",
            "reduction",
        ),
        ("y = (x - mean) * rsqrtf(variance + eps); __syncthreads();", "normalisation"),
        ("for (;;) if (d < best) { best = d; place = i; }", "search"),
        ("p[0] = q[index[i]]; atomicAdd(p + n, 1.f);", "gather-scatter"),
        (
            "if (x > 0) { k = atomicAdd(count, 1); list[k] = x; __syncthreads(); }",
            "compaction",
        ),
    ],
)
def test_code_says_what_a_kernel_computes(body: str, kind: str) -> None:
    kernel_class, evidence = classify_body(body)
    assert kernel_class == kind
    rules = (*STRONG_CODE_RULES, *WEAK_CODE_RULES)
    meanings = {meaning for rule, _, meaning in rules if rule == kind}
    assert any(reason.removeprefix("code: ") in meanings for reason in evidence)


@pytest.mark.parametrize(
    ("body", "kind", "word"),
    [
        ("p[i * n + j] = q[j * n + i]; ", "gather-scatter", "other places"),
        (
            "__shared__ float t[32]; t[y] = q[x]; __syncthreads(); p[x] = t[y];",
            "gather-scatter",
            "shared memory",
        ),
        ("int j = index[i]; p[j] = q[i];", "gather-scatter", "which it has read"),
        (
            "float s = 0; for (;;) s += q[i]; x += __shfl_down_sync(~0u, s, 1);",
            "reduction",
            "sums in a loop: s",
        ),
        ("p[i] = q[i] * 2.f;", "elementwise", "its own element [i]"),
    ],
)
def test_how_elements_are_moved_says_it_too(body: str, kind: str, word: str) -> None:
    kernel_class, evidence = classify_body(body)
    assert kernel_class == kind
    assert any(word in reason for reason in evidence), evidence


def test_a_copy_to_the_same_place_moves_nothing() -> None:
    kind, evidence = classify_body("p[i] = q[i];")
    assert (kind, len(evidence)) == ("elementwise", 1)


def test_a_loop_over_the_grid_is_no_sum_of_a_thread() -> None:
    own = "float s = 0; while (i < n) { s += q[i]; } __shfl_down_sync(~0u, s, 1);"
    assert classify_body(own)[0] == "reduction"
    assert classify_body(own.replace("< n", "< n * gridDim.x"))[0] != "reduction"


def test_what_threads_share_is_not_their_own() -> None:
    assert classify_body("p[i] = q[i] * 2.f; __syncthreads();")[0] != "elementwise"


def test_a_comment_says_nothing() -> None:
    assert classify_body("__syncthreads();  // atomicAdd(p, 1)")[0] == UNCLASSIFIED


def test_the_name_weighs_more_than_one_sign_in_the_code() -> None:
    body = "if (a < b) swap(a, b); x = y; atomicAdd(p + n, 1.f);"
    computation = classify_computation(make_kernel("row_sort", body))
    assert computation.kind == "sort"
    assert computation.evidence == ("name: sort",)


def test_a_macro_that_makes_a_kernel_shows_nothing_of_its_body() -> None:
    made = replace(make_kernel("draw"), source="MAKE_KERNEL(draw, float, x * 2)")
    assert classify_computation(made).kind == UNCLASSIFIED


def test_each_class_of_names_needs_something_of_the_code() -> None:
    assert {kind for kind, _ in NAME_RULES} == set(NAME_NEEDS)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("matmul_backward_bias", "for (;;) s += q[i * n];"),
        ("max_sparse", "use(n);"),
        ("row_sum", "p[0] = n;"),
        ("GradTransposed", "transposeInto(p);"),
    ],
)
def test_a_name_that_the_code_does_not_bear_out_says_nothing(
    name: str, body: str
) -> None:
    computation = classify_computation(make_kernel(name, f"__syncthreads(); {body}"))
    assert computation.kind == UNCLASSIFIED


def test_a_function_that_is_called_bears_a_name_out() -> None:
    kernel = make_kernel("flash_fwd", "__syncthreads(); compute_attn(n);")
    assert classify_computation(kernel).kind == "attention"


def test_what_a_lambda_does_is_not_said_of_the_kernel_that_calls_it() -> None:
    body = "for (;;) { float s = p(n); }"
    assert classify_computation(make_kernel("sparse_rows", body)).kind == UNCLASSIFIED
    stores = body.replace("}", "q[i] = s; }")
    assert classify_computation(make_kernel("sparse_rows", stores)).kind == "sparse"


@pytest.mark.parametrize(
    "body",
    [
        "atomicAdd(p + n, 1.f);",
        "BlockScan(t).ExclusiveSum(x, y);",
        "cub::BlockRadixSort<int, 32>(t).Sort(k);",
        "for (;;) t += q[index[i]];",
        "y = curand_uniform(&state); __syncthreads();",
        "float s = blockReduceSum<float>(x);",
        "y = m / (sqrtf(v) + eps); __syncthreads();",
        "v[i] = b * v[i]; y = m / sqrtf(v[i] + eps); __syncthreads();",
        "if (d < best) { best = d; place = i; }",
        "float s = 0; for (;;) s += q[i];",
        "float s = blockReduceSum<float>(x); x += __shfl_xor_sync(1, x, 2); y = expf(x);",
    ],
)
def test_one_fact_that_kernels_of_other_classes_have_too_says_nothing(
    body: str,
) -> None:
    assert classify_body(body)[0] == UNCLASSIFIED


@pytest.mark.parametrize(
    "body",
    [
        "p[0] = n;",
        "p[blockIdx.x] = n;",
        "int row = blockIdx.x; int i = row * 2; p[i] = n;",
        "for (int j = 0; j < 4; ++j) p[j] = n;",
        "int j = index[i]; int k = j * 2; p[k] = n;",
    ],
)
def test_an_element_of_a_block_or_a_loop_is_not_a_threads_own(body: str) -> None:
    assert "its own element" not in "".join(classify_body(body)[1])


def test_a_loop_in_a_called_function_is_not_work_without_a_loop() -> None:
    kernel = make_kernel(body="p[i] = walk(n); q[i + 1] = 1;")
    assert classify_computation(kernel).kind == "elementwise"
    walk = "__device__ int walk(int n) { while (n) --n; return n; }"
    unit = plain_unit(f"{walk}\n{kernel.source}")
    assert classify_computation(replace(kernel, unit=unit)).kind == UNCLASSIFIED


def test_a_sum_of_two_arrays_is_no_move_of_elements() -> None:
    kind, evidence = classify_body("c[i] = a[i] + b[i];")
    assert (kind, len(evidence)) == ("elementwise", 1)


def test_a_copy_to_where_an_array_says_is_not_elementwise() -> None:
    kernel = make_kernel("copy_rows", "copy(&out[to[i] * n], &in[from[i] * n], n);")
    assert classify_computation(kernel).kind == "gather-scatter"


@pytest.mark.parametrize("name", ["gelu_bwd", "memory_fill"])
def test_a_name_of_work_on_elements_is_right_where_threads_work_alone(
    name: str,
) -> None:
    body = "for (;;) for (;;) *p++ = f(n); "
    assert classify_computation(make_kernel(name, body)).kind == "elementwise"
    together = make_kernel(name, f"{body} __syncthreads();")
    assert classify_computation(together).kind == UNCLASSIFIED
