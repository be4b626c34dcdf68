"""Other names of namespaces, as the text of a file gives them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.namespaces import find_other_names


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("namespace fs = std::filesystem;", (("fs", "std::filesystem"),)),
        ("namespace a = ::b;", (("a", "b"),)),
        ("#define OURS lib::detail\n", (("OURS", "lib::detail"),)),
        ("#define  OURS\tlib\r\n", (("OURS", "lib"),)),
        ("#/* ours */define OURS lib // of old\n", (("OURS", "lib"),)),
        ("#if 0\nnamespace a = b;\n#endif", (("a", "b"),)),
        ("#define N a\nnamespace x = y;", (("N", "a"), ("x", "y"))),
    ],
)
def test_names_of_macros_and_aliases(
    text: Callable[[str], SourceText], content: str, names: tuple[tuple[str, str], ...]
) -> None:
    assert find_other_names(text(content)) == names


@pytest.mark.parametrize(
    "content",
    [
        "namespace a { int b; }",
        "namespace a::b {}",
        "using namespace a;",
        "#define CALL(x) x\n",
        "#define TWO a b\n",
        "#define EMPTY\n",
        "#undef OURS\n",
        "namespace a =",
    ],
)
def test_what_names_no_namespace(
    text: Callable[[str], SourceText], content: str
) -> None:
    assert find_other_names(text(content)) == ()
