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
        ("&(void scan<int, &(int add<int>(int, int))>(int*))", "&scan<int, &add<int>>"),
        ("&(scale)", "&scale"),
        ("&copy", "&copy"),
    ],
)
def test_a_function_is_spelled_with_its_arguments(demangled: str, spelled: str) -> None:
    arguments = spell_function_arguments(PRINTED, ("float", demangled, "3"))
    assert arguments == ("float", spelled, "3")


def test_arguments_of_another_number_are_left_as_printed() -> None:
    assert spell_function_arguments(PRINTED, ("float",)) == PRINTED


def test_what_is_no_function_is_left_as_printed() -> None:
    printed = ("copy", "(Kind)3", "")
    assert spell_function_arguments(printed, ("a", "b", "c")) == printed


@pytest.mark.parametrize(
    "symbol", ["", "main", "_Z", "_ZN", "\u00e9", "_Z" + "N" * 5_000]
)
def test_what_no_compiler_mangled_stands_for_nothing(symbol: str) -> None:
    assert demangle_symbol(symbol) == ""


def test_a_kernel_is_demangled_with_its_template_arguments() -> None:
    demangled = demangle_symbol("_Z5scaleIfLi4EEvPT_")
    assert demangled == "void scale<float, 4>(float*)"
