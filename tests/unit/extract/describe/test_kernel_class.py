"""What a kernel computes, guessed by its name and by what its code does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.extract.describe.kernel_class import UNCLASSIFIED, classify_computation
from crawler.extract.describe.kernel_class_rules import CODE_RULES, NAME_RULES
from crawler.model import Kernel
from tests.plain import plain_kernel, plain_unit


def make_kernel(name: str = "k", body: str = "") -> Kernel:
    source = f"__global__ void {name}(float* p, int n) {{\n{body}\n}}"
    return plain_kernel(plain_unit(source), source=source, name=name)


def classify_name(name: str) -> str:
    # threads that wait for each other, without more, are of no class
    return classify_computation(make_kernel(name, "__syncthreads();")).kind


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
        ("gelu_bwd", "elementwise"),
        ("memory_fill", "elementwise"),
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
    ],
)
def test_a_part_of_another_word_says_nothing(name: str) -> None:
    assert classify_name(name) == UNCLASSIFIED


def test_threads_that_do_nothing_together_work_by_themselves() -> None:
    kind, evidence = classify_body("use(n);")
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
        ("cub::BlockRadixSort<int, 32>(t).Sort(k);", "sort"),
        ("BlockScan(t).ExclusiveSum(x, y);", "scan"),
        ("float s = blockReduceSum<float>(x);", "reduction"),
        (
            "x += __shfl_down_sync(~0u, x, 16); x += __shfl_xor_sync(1, x, 2);",
            "reduction",
        ),
        ("p[0] = q[index[i]];", "gather-scatter"),
        ("atomicAdd(p + n, 1.f);", "gather-scatter"),
        ("p[i] = q[i - 1] + q[i + 1] + q[i];", "stencil"),
        ("if (d < best) { best = d; place = i; }", "search"),
        ("if (x > 0) list[count++] = x; __syncthreads();", "compaction"),
        ("y = (x - mean) * rsqrtf(variance + eps); __syncthreads();", "normalisation"),
        ("y = curand_uniform(&state); __syncthreads();", "random"),
    ],
)
def test_code_says_what_a_kernel_computes(body: str, kind: str) -> None:
    kernel_class, evidence = classify_body(body)
    assert kernel_class == kind
    meanings = {meaning for rule, _, meaning in CODE_RULES if rule == kind}
    assert any(reason.removeprefix("code: ") in meanings for reason in evidence)


@pytest.mark.parametrize(
    ("body", "kind", "word"),
    [
        ("p[i * n + j] = q[j * n + i]; ", "gather-scatter", "other places"),
        (
            "__shared__ float t[32]; t[y] = q[x]; __syncthreads(); p[x] = t[y];",
            "transpose",
            "shared memory",
        ),
        ("int j = index[i]; p[j] = q[i];", "gather-scatter", "which it has read"),
        ("float s = 0; for (;;) s += q[i];", "reduction", "sums in a loop: s"),
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
    own = "float s = 0; while (i < n) { s += q[i]; }"
    assert classify_body(own)[0] == "reduction"
    assert classify_body(own.replace("< n", "< n * gridDim.x"))[0] != "reduction"


def test_what_threads_share_is_not_their_own() -> None:
    assert classify_body("p[i] = q[i] * 2.f; __syncthreads();")[0] != "elementwise"


def test_a_comment_says_nothing() -> None:
    assert classify_body("__syncthreads();  // atomicAdd(p, 1)")[0] == UNCLASSIFIED


def test_the_name_weighs_more_than_one_sign_in_the_code() -> None:
    computation = classify_computation(make_kernel("row_sort", "atomicAdd(p, 1.f);"))
    assert computation.kind == "sort"
    assert computation.evidence == ("name: sort",)


def test_a_macro_that_makes_a_kernel_shows_nothing_of_its_body() -> None:
    made = replace(make_kernel("draw"), source="MAKE_KERNEL(draw, float, x * 2)")
    assert classify_computation(made).kind == UNCLASSIFIED
