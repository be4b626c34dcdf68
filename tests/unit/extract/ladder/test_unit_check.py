"""What libclang says of a unit's text is asked once for each text and its flags."""

from __future__ import annotations

import pytest

from crawler.extract.ladder import unit_check
from crawler.extract.ladder.unit_check import LENIENT_FLAGS, UnitError, find_unit_errors
from crawler.model import Dialect

pytestmark = pytest.mark.apt("clang-19")

PRELUDE = "<kernelset/cuda.cuh>"
UNKNOWN = f"#include {PRELUDE}\n__global__ void k(lib_t *x) {{}}\n"
UNDEFINED = (
    f"#include {PRELUDE}\n"
    "template <class T> __device__ void f(T *x);\n"
    "__global__ void k(int *x) { f(x); }\n"
)


@pytest.fixture
def parsed_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed, once for each time."""
    texts: list[str] = []
    parse = unit_check.parse_unit_text

    def note_and_parse(source: str, *rest: object) -> object:
        texts.append(source)
        return parse(source, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(unit_check, "parse_unit_text", note_and_parse)
    monkeypatch.setattr(unit_check, "_known_errors", {})
    return texts


def test_an_error_has_its_line() -> None:
    errors = find_unit_errors(UNKNOWN, Dialect.CUDA, "c++17", PRELUDE)
    assert errors == (UnitError("unknown type name 'lib_t'", (2,)),)
    assert not errors[0].misses_definition


def test_the_same_text_is_parsed_once(parsed_texts: list[str]) -> None:
    first = find_unit_errors(UNKNOWN, Dialect.CUDA, "c++17", PRELUDE)
    second = find_unit_errors(UNKNOWN, Dialect.CUDA, "c++17", PRELUDE)
    assert second == first
    assert parsed_texts == [UNKNOWN]


def test_with_other_flags_a_text_is_parsed_again(parsed_texts: list[str]) -> None:
    strict = find_unit_errors(UNDEFINED, Dialect.CUDA, "c++17", PRELUDE)
    lenient = find_unit_errors(UNDEFINED, Dialect.CUDA, "c++17", PRELUDE, LENIENT_FLAGS)
    assert strict
    assert all(error.misses_definition for error in strict)
    assert lenient == ()
    assert parsed_texts == [UNDEFINED, UNDEFINED]


def test_few_enough_texts_are_remembered(
    parsed_texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_check, "_MAX_KNOWN_TEXTS", 1)
    for text in (UNKNOWN, UNDEFINED, UNKNOWN):
        find_unit_errors(text, Dialect.CUDA, "c++17", PRELUDE)
    assert parsed_texts == [UNKNOWN, UNDEFINED, UNKNOWN]
