"""Branches that no compiler reads, and ranges that hold whole conditionals."""

from __future__ import annotations

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.dead_branches import (
    extend_to_whole_conditionals,
    is_in_dead_branch,
)


@pytest.mark.parametrize(
    ("text", "is_dead"),
    [
        ("#if 0\nX\n#endif", True),
        ("#if 1\nX\n#endif", False),
        ("#if 0\n#else\nX\n#endif", False),
        ("#if 1\n#else\nX\n#endif", True),
        ("#if false\n#if A\nX\n#endif\n#endif", True),
        ("#if A\n#else\nX\n#endif", False),
        ("#if 0\n#elif A\nX\n#endif", False),
        ("#if 0\n#elif A\n#elif B\nX\n#endif", False),
        ("#if 0\n#elif A\n#else\nX\n#endif", False),
        ("#if A\n#elif 0\nX\n#endif", True),
        ("#if A\n#elif 1\n#else\nX\n#endif", True),
        ("#if 1\n#elif A\n#else\nX\n#endif", True),
        ("#if 0 + A\nX\n#endif", False),
        ("#ifdef A\nX\n#endif", False),
        ("#if 0\n#endif\nX", False),
        ("#if 0\nX", True),
        ("// #if 0\nX\n", False),
    ],
)
def test_only_literal_conditions_tell(text: str, is_dead: bool) -> None:
    source = SourceText("a.cu", text.encode())
    assert is_in_dead_branch(source, text.index("X")) is is_dead


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("int a;\n#if A\nX\n#endif\n;", "#if A"),
        ("#if A\nint b;\n#else\nX\n#endif\n;", "X"),
        ("#if A\nvoid f()\n#else\nX\n#endif\n;", "X"),
        ("#if A\n#if B\nX\n#endif\n#endif\n;", "#if A"),
        ("X;", "X"),
    ],
)
def test_each_endif_of_a_range_has_its_if(text: str, beginning: str) -> None:
    source = SourceText("a.cu", text.encode())
    start = extend_to_whole_conditionals(source, text.index("X"), len(text))
    expected = text.index("#if") if "#if" in text else text.index(beginning)
    assert start == expected


def test_a_range_without_directives_stays() -> None:
    source = SourceText("a.cu", b"#if A\nint x;\n#endif\n")
    assert extend_to_whole_conditionals(source, 6, 12) == 6
