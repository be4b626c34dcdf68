"""Template arguments as clang prints them: split, laid out flat, and judged."""

from __future__ import annotations

import pytest

from crawler.cpp.template_argument_text import (
    find_printed_arguments,
    is_universal_argument,
    split_printed_arguments,
)


@pytest.mark.parametrize(
    ("printed", "arguments"),
    [
        ("void add<float>(float *)", ("float",)),
        ("void add<float, 4U>()", ("float", "4")),
        ("void add<4UL, -1L>()", ("4", "-1")),
        (
            "void add<pair<int, long>, int (*)(int, int)>()",
            ("pair<int, long>", "int (*)(int, int)"),
        ),
        ("void add<<int, float>, 2>()", ("int", "float", "2")),
        ("void add<<>, 2>()", ("2",)),
        ("void add<auto (int) -> float>()", ("auto (int) -> float",)),
        ("void add<>()", ()),
    ],
)
def test_arguments_of_a_printed_declaration(
    printed: str, arguments: tuple[str, ...]
) -> None:
    assert find_printed_arguments(printed, "add") == arguments


def test_another_name_that_ends_alike_is_not_taken() -> None:
    assert find_printed_arguments("void fast_add<int>(add<float>)", "add") == ("float",)
    assert find_printed_arguments("void fast_add<int>()", "add") is None


def test_what_follows_the_list_is_left_out() -> None:
    assert split_printed_arguments("A<int, B<2>> rest, more", 2) == ["int", "B<2>"]


@pytest.mark.parametrize(
    ("argument", "is_universal"),
    [
        ("float", True),
        ("unsigned long", True),
        ("const float *", True),
        ("-3", True),
        ("true", True),
        ("c10::Half", True),
        ("c10::BFloat16", True),
        ("Params", False),
        ("c10::Half *", False),
        ("static_cast<Mode>(1)", False),
    ],
)
def test_only_what_every_unit_knows_is_universal(
    argument: str, is_universal: bool
) -> None:
    assert is_universal_argument(argument) is is_universal
