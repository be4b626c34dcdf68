"""The statements in front of a launch that compute its configuration go with it."""

from __future__ import annotations

from crawler.cpp.files.source_text import SourceText
from crawler.extract.launches.launch_setup import (
    find_setup_statements,
    text_before_launch,
    text_before_offset,
)
from crawler.extract.syntax.launch_syntax import find_launches


def read_setup(body: str) -> str:
    source = SourceText("a.cu", f"void run(int n) {{\n{body}\n}}\n".encode())
    (launch,) = find_launches(source)
    return find_setup_statements(launch, text_before_launch(source, 0, launch))


def test_definitions_of_the_names_in_it_are_found_in_order() -> None:
    body = """  int threads = 256;
  const dim3 block(threads);
  dim3 grid((n + threads - 1) / threads);
  float unused = 3;
  scale<<<grid, block>>>(x, n);"""
    assert read_setup(body).splitlines() == [
        "int threads = 256;",
        "const dim3 block(threads);",
        "dim3 grid((n + threads - 1) / threads);",
    ]


def test_an_assignment_to_a_member_is_one() -> None:
    assert read_setup("dim3 grid; grid.x = n; scale<<<grid, 1>>>(x);") == (
        "dim3 grid;\ngrid.x = n;"
    )


def test_comments_and_directives_are_left_out() -> None:
    body = "// how many\n#pragma once\nint blocks = n;\nscale<<<blocks, 1>>>(x);"
    assert read_setup(body) == "int blocks = n;"


def test_a_block_and_a_return_define_nothing() -> None:
    assert read_setup("if (n > 0) { return n = 1; }\nscale<<<n, 1>>>(x);") == ""


def test_what_defines_other_names_is_left_out() -> None:
    assert read_setup("int rows = 4;\nscale<<<n, 1>>>(rows);") == ""


def test_only_the_end_of_a_long_function_is_looked_at() -> None:
    filler = "f();\n" * 2_000
    assert read_setup(f"int far = 1;\n{filler}scale<<<far, 1>>>(x);") == ""


def test_the_text_before_a_place_begins_with_its_function() -> None:
    source = SourceText("a.cu", b"int a; void f() { b(); }")
    assert text_before_offset(source, 7, 18) == "void f() { "
    assert text_before_offset(source, -1, 7) == "int a; "
