"""A member that is left out of a class leaves neither blank lines nor its comment behind."""

from __future__ import annotations

from crawler.cpp.edits import apply_edits
from crawler.cpp.files.source_text import SourceText
from crawler.extract.closure.host_code.whole_lines import widen_to_lines

CLASS = """\
struct Rows {
  int* data;  // the elements

  // how many there are
  // in all
  int count() { return 1; }

  int first() { return 2; } int second;
  int third() { return 3; }

  int last;
};
"""


def leave_out(*members: str) -> str:
    source = SourceText("a.h", CLASS.encode())
    edits = [
        (CLASS.index(member), CLASS.index(member) + len(member), "")
        for member in members
    ]
    return apply_edits(CLASS, widen_to_lines(edits, source, 0, len(CLASS)))


def test_a_member_goes_with_its_lines_and_its_comment() -> None:
    remaining_text = leave_out("int count() { return 1; }", "int third() { return 3; }")
    assert remaining_text == (
        "struct Rows {\n  int* data;  // the elements\n\n"
        "  int first() { return 2; } int second;\n  int last;\n};\n"
    )


def test_what_shares_a_line_keeps_it() -> None:
    remaining_text = leave_out("int first() { return 2; }")
    assert remaining_text == CLASS.replace("int first() { return 2; }", "")


def test_a_body_alone_leaves_its_line() -> None:
    start = CLASS.index("{ return 1; }")
    edit = (start, start + 13, ";")
    assert widen_to_lines([edit], SourceText("a.h", CLASS.encode()), 0, len(CLASS)) == (
        edit,
    )
