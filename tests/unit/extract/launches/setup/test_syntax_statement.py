"""Statements of a function's body where clang shows none."""

from __future__ import annotations

from crawler.cpp.files.source_text import SourceText
from crawler.extract.launches.setup.syntax_statement import find_body_in_text


def test_statements_of_all_branches_of_the_preprocessor_are_in_order() -> None:
    branches = "".join(f"#elif M == {number}\n  g({number});\n" for number in range(3))
    text = f"void f() {{\n  a();\n#if A\n  b();\n{branches}#else\n  c();\n#endif\n  d();\n}}"

    source = SourceText("f.cu", text.encode())
    body = find_body_in_text(source, text.index("a()"))

    assert body is not None
    children = [source.raw[child.start : child.end] for child in body.list_children()]
    assert [child for child in children if child.endswith(";")] == [
        *("a();", "b();", "g(0);", "g(1);", "g(2);", "c();", "d();")
    ]


def test_a_preprocessor_chain_may_have_any_number_of_branches() -> None:
    branches = "".join(
        f"#elif M == {number}\n  g({number});\n" for number in range(1200)
    )
    text = f"void f() {{\n  a();\n#if A\n  b();\n{branches}#endif\n  d();\n}}"

    source = SourceText("f.cu", text.encode())
    body = find_body_in_text(source, text.index("a()"))

    assert body is not None
    children = [source.raw[child.start : child.end] for child in body.list_children()]
    assert len([child for child in children if child.startswith("g(")]) == 1200
    assert children[-1] == "d();"
