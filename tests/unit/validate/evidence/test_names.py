"""Ordinary values follow from names, in whatever style they are written."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.names import (
    is_block_size,
    normalise_name,
    split_name_words,
    typical_real,
    typical_size,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("inputHeight", "input_height"),
        ("params.batch_size", "batch_size"),
        ("at::num_heads_", "num_heads"),
        ("elements_per_group", "elements"),
        ("threads_per_block", "threads_per_block"),
        ("x.numel()", "numel"),
    ],
)
def test_words_of_a_name_are_parted(name: str, words: str) -> None:
    assert split_name_words(name) == words


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (("inputHeight",), 9),
        (("in_width",), 10),
        (("num_elements",), 40),
        (("total_work",), 300),
        (("unknown_thing", "batch"), 2),
        (("x.size(0)",), 3),
        (("x.stride(-1)",), 1),
        (("x.numel()",), 300),
        (("zzz",), 6),
    ],
)
def test_sizes_follow_from_names(names: tuple[str, ...], value: int) -> None:
    assert typical_size(names) == value


def test_a_known_name_counts_before_an_expression() -> None:
    assert typical_size(("x.size(0)", "channels")) == 8


@pytest.mark.parametrize("name", ["blockSize", "NUM_THREADS", "nThreads", "TPB"])
def test_threads_of_a_block_are_recognised(name: str) -> None:
    assert is_block_size((name,))


def test_blocks_are_no_threads() -> None:
    assert not is_block_size(("num_blocks", "n"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("layer_norm_eps", 1e-5), ("scoreThreshold", 0.3), ("p", 0.25), ("q", 0.75)],
)
def test_real_numbers_follow_from_names(name: str, value: float) -> None:
    assert typical_real(name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("clampLo", -3.0),
        ("clamp_value", 4.0),
        ("range_lo", -3.0),
        ("low", -3.0),
        ("xMin", -3.0),
        ("ymax", 4.0),
        ("hi2", 4.0),
        ("epsilon", 1e-5),
        ("lr0", 0.01),
        ("iouThreshold", 0.3),
        ("maxDist", 4.0),
    ],
)
def test_short_words_of_names_of_real_numbers_are_known(
    name: str, value: float
) -> None:
    assert typical_real(name) == value


@pytest.mark.parametrize(
    "name",
    [
        "loss",
        "velocity",
        "slope",
        "white",
        "history",
        "already",
        "previous",
        "problem",
        "luminance",
        "iterations",
    ],
)
def test_short_words_do_not_count_inside_of_longer_ones(name: str) -> None:
    assert typical_real(name) == typical_real("zzz")


def test_styles_of_a_name_are_one() -> None:
    styles = ("kHeadDim", "HEAD_DIM", "head_dim_", "headDim")
    assert {normalise_name(name) for name in styles} == {"headdim"}
