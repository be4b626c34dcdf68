"""Conditions are evaluated as far as the macros that are known tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.preprocessor.conditions import MacroValue, evaluate_condition


@dataclass
class KnownMacros:
    values: Mapping[str, int]

    def is_defined(self, name: str) -> MacroValue:
        return 1 if name in self.values else None

    def value(self, name: str) -> MacroValue:
        return self.values.get(name)


MACROS = KnownMacros({"ARCH": 350, "ZERO": 0})


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("ARCH >= 350", 1),
        ("350 > ARCH", 0),
        ("ARCH == 0x15E", 1),
        ("ARCH != 350u || UNKNOWN", None),
        ("ARCH < 300 && UNKNOWN", 0),
        ("ARCH > 300 || UNKNOWN", 1),
        ("!defined(ARCH)", 0),
        ("defined ARCH && !(ARCH < 300)", 1),
        ("defined(UNKNOWN)", None),
        ("ZERO || ARCH > 300 && ZERO", 0),
        ("not defined(ARCH) or ARCH > 300 and ARCH < 400", 1),
        ("ARCH + 1 > 2", None),
        ("(ARCH > 300", None),
        ("", None),
    ],
)
def test_a_condition_comes_to_what_is_known(condition: str, value: MacroValue) -> None:
    assert evaluate_condition(condition, MACROS) == value


@given(st.text(alphabet="()!&|<>= defindAR1CH\n", max_size=300))
def test_any_text_has_a_value_or_none(text: str) -> None:
    value = evaluate_condition(text, MACROS)
    assert value is None or value >= 0


def test_a_condition_nested_without_end_is_not_understood() -> None:
    assert evaluate_condition("(" * 10_000 + "1" + ")" * 10_000, MACROS) is None
    assert evaluate_condition("!" * 10_000 + "1", MACROS) is None
