"""Labels of template arguments: short, safe in file names, distinct."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.describe.instantiation_labels import (
    make_argument_label,
    number_duplicate_labels,
)
from crawler.model import Instantiation


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        (("float",), "float"),
        (("c10::Half", "256"), "half_256"),
        (("unsigned char", "-1"), "uint8_minus1"),
        (("static_cast<Mode>(2)",), "Mode_2"),
        (("lib::Tile<float, 4>", "true"), "lib_Tile_float_4__true"),
        ((), ""),
    ],
)
def test_labels(arguments: tuple[str, ...], label: str) -> None:
    assert make_argument_label(arguments) == label


@given(st.lists(st.text(max_size=80), max_size=4))
def test_labels_are_safe_in_file_names(arguments: list[str]) -> None:
    label = make_argument_label(tuple(arguments))
    assert re.fullmatch(r"\w*", label)
    assert len(label) <= 57


def test_long_labels_differ_by_their_digest() -> None:
    first = make_argument_label(("A" * 60, "1"))
    second = make_argument_label(("A" * 60, "2"))
    assert first[:48] == second[:48]
    assert first != second


def test_shared_labels_are_numbered() -> None:
    instantiations = [
        Instantiation(arguments=(argument,), label="half")
        for argument in ("half", "__half", "c10::Half")
    ]
    numbered = number_duplicate_labels(instantiations)
    assert [instantiation.label for instantiation in numbered] == [
        "half",
        "half_2",
        "half_3",
    ]
    assert [instantiation.arguments for instantiation in numbered] == [
        instantiation.arguments for instantiation in instantiations
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("float",), "float"),
        (("c10::Half", "256"), "half_256"),
        (("unsigned char", "-1"), "uint8_minus1"),
        (("c10::complex<double>",), "complex128"),
        (("static_cast<Mode>(1)", "true"), "Mode_1_true"),
        (("const ns::vec<float, 4> *",), "const_ns_vec_float_4"),
    ],
)
def test_labels_are_short_and_safe_in_file_names(
    arguments: tuple[str, ...], expected: str
) -> None:
    assert make_argument_label(arguments) == expected


def test_long_labels_stay_distinct() -> None:
    label, other_label = (make_argument_label(("a" * 60, last)) for last in ("x", "y"))
    assert label != other_label
    assert len(label) <= 60
