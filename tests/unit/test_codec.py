"""JSON of values: deterministic, compact, and read back as what it was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from crawler.codec import decode, encode, to_builtins


@dataclass(frozen=True)
class Point:
    y: int
    x: int
    place: Path = Path("/here")
    names: frozenset[str] = frozenset()


def test_fields_stand_in_the_order_of_their_definition() -> None:
    assert encode(Point(y=2, x=1)) == b'{"y":2,"x":1,"place":"/here","names":[]}'


def test_what_was_encoded_comes_back() -> None:
    point = Point(y=2, x=1, place=Path("a/b"), names=frozenset({"é"}))
    assert decode(encode(point), Point) == point
    assert decode(encode(point).decode(), Point) == point


def test_a_path_is_a_string() -> None:
    assert to_builtins(Point(y=2, x=1))["place"] == "/here"


def test_what_has_no_json_form_is_named() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        encode({"a": object()})


@pytest.mark.parametrize("text", [b'{"y":2}', b'{"y":"2","x":1}', b"[]"])
def test_what_does_not_fit_the_type_is_refused(text: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(text, Point)
