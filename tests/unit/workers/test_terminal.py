"""Nothing that a stranger wrote acts on the terminal that shows it."""

from __future__ import annotations

import json

import pytest

from workers.cli.terminal import safe, say_json, table, verbatim

HOSTILE = "\x1b]0;owned\x07k\u202eernel\x9b31m\r\nnext"


def test_control_and_direction_characters_are_spelled_out() -> None:
    shown = safe(HOSTILE)
    assert shown == r"\x1b]0;owned\x07k\u202eernel\x9b31m\r\nnext"
    assert safe("ünïcödé 核") == "ünïcödé 核"


def test_source_keeps_its_lines_and_tabs() -> None:
    assert verbatim("a\tb\r\nc\x1b[2J") == "a\tb\nc\\x1b[2J"


def test_json_is_ascii_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"name": HOSTILE})
    out = capsys.readouterr().out
    assert out.isascii()
    assert out.count("\n") == 1
    assert json.loads(out) == {"name": HOSTILE}


def test_columns_line_up() -> None:
    assert list(table([("a", "long one", "x"), ("longer", "b", "y")])) == ["a       long one  x", "longer  b         y"]
    assert list(table([])) == []
