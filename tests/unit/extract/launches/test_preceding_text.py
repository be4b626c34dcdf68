"""The text in front of a launch begins with its function, however long that is."""

from __future__ import annotations

from crawler.cpp.files.source_text import SourceText
from crawler.extract.launches.preceding_text import (
    text_before_launch,
    text_before_offset,
)
from crawler.extract.syntax.launch_syntax import find_launches


def test_the_text_before_a_place_begins_with_its_function() -> None:
    source = SourceText("a.cu", b"int a; void f() { b(); }")
    assert text_before_offset(source, 7, 18) == "void f() { "
    assert text_before_offset(source, -1, 7) == "int a; "


def test_a_long_function_is_read_from_its_beginning() -> None:
    filler = "f();\n" * 2_000
    text = f"void run(int n) {{ int far = 1;\n{filler}scale<<<far, 1>>>(x); }}"
    source = SourceText("a.cu", text.encode())
    (launch,) = find_launches(source)
    assert "int far = 1;" in text_before_launch(source, 0, launch)
    assert "int far = 1;" not in text_before_launch(source, -1, launch)
