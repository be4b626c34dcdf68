"""Lambdas are found wherever a type holds them, at a cost that hostile types do not multiply."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from clang.cindex import CursorKind

from crawler.extract.clang.cursor import ClangType
from crawler.extract.clang.cursor_queries import NodeBudget, collect_descendants
from crawler.extract.lambdas.lambda_types import LAMBDA_TEXT, iter_lambda_classes
from tests.unit.extract.builders import parse_text

TEXT = (
    """
template <class T, class U> struct Pair {};
auto one = [](int i) { return i; };
auto *pointer = &one;
Pair<int, Pair<decltype(one), float>> nested;
Pair<int, float> plain;
using L0 = Pair<int, float>;
"""
    # thousands of places, and thirteen types
    + "".join(f"using L{i + 1} = Pair<L{i} *, L{i} &>;\n" for i in range(12))
    + "L12 hostile;\n"
)


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ClangType]:
    root: Path = tmp_path_factory.mktemp("lambdas")
    unit = parse_text(root, TEXT, "-std=c++17")
    variables = collect_descendants(
        unit.cursor, {CursorKind.VAR_DECL.value}, NodeBudget(10**6)
    )
    by_name = {cursor.spelling: cursor.type for cursor in variables}
    return by_name.__getitem__


@pytest.mark.parametrize(
    ("name", "count"),
    [("one", 1), ("pointer", 1), ("nested", 1), ("plain", 0), ("hostile", 0)],
)
def test_each_lambda_of_a_type_is_found(
    types: Callable[[str], ClangType], name: str, count: int
) -> None:
    classes = list(iter_lambda_classes(types(name)))
    assert len(classes) == count
    assert all(LAMBDA_TEXT.fullmatch(cursor.spelling) for cursor in classes)
