"""Terminal output: results to standard output, notes to standard error, foreign text escaped."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

import typer

INVISIBLE_CHARACTERS: Final = (
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
"""Those that turn the direction of writing, join invisibly, end lines or are halves of others; for
a set of a regular expression.
"""
# any text on its way to a terminal, character by character
_UNSAFE: Final = re.compile(f"[\x00-\x1f\x7f-\x9f{INVISIBLE_CHARACTERS}]")


def escape_line(text: object) -> str:
    """Return `text` in one line, with whatever could act on a terminal shown as an escape."""
    return _UNSAFE.sub(_spell_character, str(text))


def escape_lines(text: str) -> str:
    """Return source text with its lines and tabs kept, and all else as `escape_line` has it."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(_escape_between_tabs(line) for line in lines)


def _escape_between_tabs(line: str) -> str:
    parts = line.split("\t")
    return "\t".join(escape_line(part) for part in parts)


def print_line(text: str = "") -> None:
    """Print a line of the result; ends quietly where nobody reads any more."""
    try:
        sys.stdout.write(f"{text}\n")
    except BrokenPipeError:
        close_pipe()


def print_json(value: object) -> None:
    """Print a JSON object as one line, in ASCII."""
    print_line(json.dumps(value))


def print_note(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(f"{text}\n")


def close_pipe() -> None:
    """End the command since its reader has gone, as `| head` does."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    raise typer.Exit(0)


def format_table(rows: Iterable[Sequence[object]]) -> Iterable[str]:
    """Yield the lines of a table whose columns are as wide as they must be."""
    escaped_rows = []
    for row in rows:
        escaped_rows.append([escape_line(cell) for cell in row])

    widths = []
    for column in zip(*escaped_rows, strict=True):
        widths.append(max(len(cell) for cell in column))

    for cells in escaped_rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        yield "  ".join(padded).rstrip()


def _spell_character(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode()
