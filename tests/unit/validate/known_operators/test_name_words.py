"""A kernel is named after an operator by whole words, however they are joined."""

from __future__ import annotations

import pytest

from crawler.model import Launch
from crawler.validate.known_operators.name_words import (
    has_words,
    list_names,
    split_words,
)
from tests.plain import HERE, plain_kernel, plain_unit


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("vecAdd_f32", ("vec", "add", "f", "32")),
        ("MatrixMulCUDA", ("matrix", "mul", "cuda")),
        ("__relu6__", ("relu", "6")),
        ("", ()),
        ("größe", ("gr", "e")),
    ],
)
def test_names_fall_into_words(name: str, words: tuple[str, ...]) -> None:
    assert split_words(name) == words


@pytest.mark.parametrize(
    ("name", "phrase", "is_named"),
    [
        ("softmax_forward", "softmax", True),
        ("fusedSoftmax", "softmax", True),
        ("vectoraddkernel", "vector add", True),
        ("layerNorm", "layernorm", True),
        ("layernorm", "layer norm", True),
        # short words stand in many others
        ("address", "add", False),
        ("expand", "exp", False),
        ("add_vec", "vec add", False),
        ("", "relu", False),
    ],
)
def test_words_stand_side_by_side(name: str, phrase: str, is_named: bool) -> None:
    assert has_words(split_words(name), phrase) is is_named


def test_what_launches_a_kernel_names_it_too() -> None:
    launch = Launch(
        span=HERE, kernel_name="k", grid="1", block="1", enclosing="nn::softmax"
    )
    kernel = plain_kernel(plain_unit("//"), name="k", launches=(launch, launch))
    assert list_names(kernel) == ("k", "softmax")


def test_a_name_of_any_length_is_split() -> None:
    kernel = plain_kernel(plain_unit("//"), name="aB" * 1_000_000)
    assert len(list_names(kernel)[0]) == 200
