"""Symbols demangled, and functions among template arguments spelled with their own."""

from __future__ import annotations

import pytest

from crawler.cpp.demangle import demangle_symbol, spell_function_arguments

PRINTED = ("float", "&copy", "3")


def test_a_symbol_is_demangled_without_anonymous_namespaces() -> None:
    assert demangle_symbol("_ZN12_GLOBAL__N_13addEPf") == "add(float*)"
    assert demangle_symbol("no symbol") == ""


@pytest.mark.parametrize(
    ("demangled", "spelled"),
    [
        ("&(void copy<float>(float*))", "&copy<float>"),
        ("&(void tools::copy<int, 2>(int*))", "&tools::copy<int, 2>"),
        ("&(copy(float*))", "&copy"),
        ("&(void apply<&(void step<int>(int))>(int))", "&apply<&step<int>>"),
        ("&copy", "&copy"),
    ],
)
def test_a_function_is_spelled_with_its_arguments(demangled: str, spelled: str) -> None:
    arguments = spell_function_arguments(PRINTED, ("float", demangled, "3"))
    assert arguments == ("float", spelled, "3")


def test_arguments_of_another_number_are_left_as_printed() -> None:
    assert spell_function_arguments(PRINTED, ("float",)) == PRINTED
