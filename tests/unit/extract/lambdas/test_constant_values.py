"""What the compiler knows of constants is written as C++ writes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from clang.cindex import CursorKind

from crawler.extract.clang.cursor_queries import NodeBudget, collect_descendants
from crawler.extract.lambdas.constant_values import evaluate_constant
from tests.unit.extract.builders import parse_text

TEXT = """
int read();
constexpr int kTwo = 1 + 1;
const unsigned long kLarge = 1ul << 40;
constexpr bool kYes = kTwo == 2, kNo = false;
constexpr double kHalf = 0.5;
constexpr double kInfinite = __builtin_inf();
enum Colour { kRed = -3, kBlue };
const int kUnknown = read();
const char *const kText = "text";
"""


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("constants")
    unit = parse_text(root, TEXT)
    kinds = {CursorKind.VAR_DECL.value, CursorKind.ENUM_CONSTANT_DECL.value}
    return {
        cursor.spelling: evaluate_constant(cursor)
        for cursor in collect_descendants(unit.cursor, kinds, NodeBudget(10**6))
        if _is_of_file(cursor.location.file, root)
    }


def _is_of_file(file: object, root: Path) -> bool:
    return str(file) == str(root / "a.cu")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kTwo", "2"),
        ("kLarge", f"{1 << 40}u"),
        ("kYes", "true"),
        ("kNo", "false"),
        ("kHalf", "0.5"),
        ("kInfinite", ""),
        ("kRed", "-3"),
        ("kBlue", "-2"),
        ("kUnknown", ""),
        ("kText", ""),
    ],
)
def test_a_constant_is_the_number_that_the_compiler_knows(
    values: dict[str, str], name: str, value: str
) -> None:
    assert values[name] == value
