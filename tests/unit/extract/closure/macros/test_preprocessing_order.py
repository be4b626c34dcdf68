"""Places of a translation unit are ordered as a preprocessor comes to them."""

from __future__ import annotations

from crawler.extract.closure.macros.preprocessing_order import PreprocessingOrder

INCLUSIONS = {
    "main.cu": {100: "outer.h", 300: "late.h"},
    "outer.h": {50: "inner.h", 60: "outer.h"},
    "late.h": {5: "inner.h"},
}
FILES = ("forced.h", "inner.h", "outer.h", "late.h", "main.cu")


def test_an_included_file_comes_where_it_is_entered_first() -> None:
    order = PreprocessingOrder(INCLUSIONS, FILES)
    in_order = [
        ("forced.h", 900),
        ("main.cu", 90),
        ("outer.h", 40),
        ("inner.h", 700),
        ("outer.h", 55),
        ("main.cu", 200),
        ("late.h", 3),
        ("main.cu", 301),
    ]
    places = [order.find_place(path, offset) for path, offset in in_order]

    assert None not in places
    assert places == sorted(places, key=lambda place: place or ())


def test_a_file_that_nobody_enters_has_no_place() -> None:
    order = PreprocessingOrder(INCLUSIONS, FILES)

    assert order.find_place("other.h", 1) is None
