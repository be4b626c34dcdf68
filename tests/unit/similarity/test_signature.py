"""Signatures tell layout from content, and how much of two texts is the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.similarity.signature import (
    Signature,
    estimate_similarity,
    sign_definitions,
)

ADD = """__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}"""


def sign_texts(texts: list[str]) -> list[Signature]:
    return sign_definitions([("k", text) for text in texts])


WORDS = [f"word{number}" for number in range(200)]


def test_layout_and_comments_do_not_count() -> None:
    first, other = sign_texts([ADD, "// adds\n" + ADD.replace(";", " ;\n")])
    assert first == other


def test_a_kernel_that_computes_something_else_is_no_copy() -> None:
    subtract = ADD.replace("add", "subtract").replace("] + b", "] - b")
    first, other = sign_texts([ADD, subtract])
    assert first.digest != other.digest
    assert estimate_similarity(first.minhash, other.minhash) < 0.8


def test_a_signature_does_not_depend_on_what_is_signed_with_it() -> None:
    assert sign_texts(["x", ADD])[1] == sign_texts([ADD])[0]


def test_texts_that_no_compiler_takes_are_signed() -> None:
    assert len(sign_texts(["", "x", '\udcff "open', "é" * 20])) == 4


@given(st.integers(0, 60))
def test_the_estimate_is_near_the_true_similarity(changed: int) -> None:
    """Of a text of distinct words whose tail is replaced, the true similarity is known."""
    kept_words = WORDS[: len(WORDS) - changed]
    tail = [f"other{number}" for number in range(changed)]
    first, other = sign_texts([" ".join(WORDS), " ".join(kept_words + tail)])

    shingles = len(WORDS) - 4
    # each of the last four shingles of what is kept holds a word of the tail
    lost = min(changed + 4, shingles) if changed else 0
    true_similarity = (shingles - lost) / (shingles + lost) if lost else 1.0
    estimate = estimate_similarity(first.minhash, other.minhash)
    # five standard deviations of an estimate from 128 hashes
    assert abs(estimate - true_similarity) < 0.22
