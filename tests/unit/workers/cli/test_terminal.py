"""Nothing that a stranger wrote acts on the terminal that shows it."""

from __future__ import annotations

import json

import pytest

from workers.cli.terminal import escape_line, escape_lines, format_table, print_json

HOSTILE = "\x1b]0;owned\x07k\u202eernel\x9b31m\r\nnext"


def test_control_and_direction_characters_are_spelled_out() -> None:
    assert escape_line(HOSTILE) == r"\x1b]0;owned\x07k\u202eernel\x9b31m\r\nnext"
    assert escape_line("ünïcödé 核") == "ünïcödé 核"


def test_source_keeps_its_lines_and_tabs() -> None:
    assert escape_lines("a\tb\r\nc\x1b[2J") == "a\tb\nc\\x1b[2J"


def test_json_is_ascii_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": HOSTILE})
    out = capsys.readouterr().out
    assert out.isascii()
    assert out.count("\n") == 1
    assert json.loads(out) == {"name": HOSTILE}


def test_columns_line_up() -> None:
    assert list(format_table([("a", "long one", "x"), ("longer", "b", "y")])) == [
        "a       long one  x",
        "longer  b         y",
    ]
    assert list(format_table([])) == []
