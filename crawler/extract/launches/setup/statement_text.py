"""Write statements of a slice, and the conditions under which they are done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.cpp.directives import conditional_directives
from crawler.cpp.edits import Edit
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.extract.launches.setup.statement import (
    Statement,
    StatementKind,
    TextRange,
)

# pieces that are written out already: what was cut from them leaves blank lines
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t]*\n)+")


def render_range(
    source: SourceText, start: int, end: int, edits: Sequence[Edit] = ()
) -> str:
    """Return a range with its edits applied, moved to the left as far as its first line goes."""
    pieces: list[str] = []
    position = start
    for edit_start, edit_end, replacement in sorted(edits):
        # what a branch of `#if` leaves out may hold what is left out anyway
        if edit_start < position:
            position = max(position, edit_end)
            continue
        pieces += [source.text_between(position, edit_start), replacement]
        position = edit_end

    pieces.append(source.text_between(position, end))
    text = _BLANK_LINES.sub("\n", "".join(pieces).replace("\r\n", "\n"))
    line_start = source.raw.rfind("\n", 0, start) + 1
    indentation = source.raw[line_start:start]
    width = len(indentation) - len(indentation.lstrip())

    return re.sub(rf"\n[ \t]{{1,{width}}}", "\n", text) if width else text


def list_inactive_edits(
    source: SourceText, start: int, end: int, skipped_ranges: Sequence[TextRange]
) -> list[Edit]:
    """Return the edits that leave of a range what the preprocessor does: one branch of `#if`."""
    if "#" not in source.raw[start:end]:
        return []

    directives = find_directive_ranges(source)
    edits = [
        (max(start, skipped_start), min(end, skipped_end), "")
        for skipped_start, skipped_end in skipped_ranges
        if skipped_start < end and start < skipped_end
    ]
    edits += [
        (directive.start, directive.end, "")
        for directive in conditional_directives(source.raw, directives)
        if start <= directive.start and directive.end <= end
    ]
    return edits


def render_removal(
    source: SourceText, statement_range: TextRange, *, is_block: bool
) -> Edit:
    """Return the edit that leaves a statement out, with its line where it has one of its own.

    Where something must stand, as behind `if (…)`, that is an empty block.
    """
    start, end = statement_range
    if not is_block:
        return start, end, "{}"

    line_start = source.raw.rfind("\n", 0, start) + 1
    line_end = source.raw.find("\n", end)
    has_own_line = (
        not source.raw[line_start:start].strip()
        and line_end >= 0
        and not source.raw[end:line_end].strip()
    )
    return (line_start, line_end + 1, "") if has_own_line else (start, end, "")


def write_call_condition(
    source: SourceText, statement_range: TextRange, argument: TextRange
) -> str:
    """Return the call that a block is an argument of, with `…` in the block's place.

    Empty where it is no argument: a lambda that a variable holds may be called anywhere.
    """
    before = source.text_between(statement_range[0], argument[0]).rstrip()
    after = source.text_between(argument[1], statement_range[1]).strip()
    if not before.endswith(("(", ",")) or not after.startswith((")", ",")):
        return ""

    before = before.removeprefix("return ")
    space = " " if before.endswith(",") else ""
    call = f"{before}{space}…{after.removesuffix(';')}"
    return " ".join(call.split())


def write_loop_condition(source: SourceText, start: int, head: TextRange) -> str:
    """Return the head of a loop as written; nothing for one that is tested at its end."""
    if head[0] == head[1]:
        return ""

    text = source.text_between(start, head[1] + 1)
    return " ".join(text.split())


def list_case_conditions(
    source: SourceText, head: TextRange, labels: Sequence[Statement], offset: int
) -> str:
    """Return which values of a switch lead to a place in it, as an expression."""
    value = _read_line(source, head)
    current: list[str] = []
    other_conditions: list[str] = []
    is_default = is_open = False
    for label in labels:
        if label.start > offset:
            break
        if label.kind is StatementKind.CASE:
            # `case 1:` with nothing behind it goes on in the next case
            if not is_open:
                other_conditions += current
                current, is_default = [], False
            is_open = not label.list_children()
            for constant in _iter_label_values(source, label):
                is_default = is_default or not constant
                if constant:
                    current.append(f"{value} == {constant}")

    if is_default:
        later = [
            f"{value} == {constant}"
            for label in labels
            if label.kind is StatementKind.CASE and label.start > offset
            for constant in _iter_label_values(source, label)
            if constant
        ]
        values = " || ".join((*other_conditions, *later))
        return f"!({values})" if values else ""

    return " || ".join(current)


def _iter_label_values(source: SourceText, label: Statement) -> list[str]:
    """Return the values of labels that stand together, an empty text for `default`."""
    values: list[str] = []
    current: Statement | None = label
    while current is not None and current.kind is StatementKind.CASE:
        start, end = current.head
        values.append(_read_line(source, (start, end)) if start < end else "")
        current = next(iter(current.list_children()), None)

    return values


def _read_line(source: SourceText, text_range: TextRange) -> str:
    return " ".join(source.text_between(*text_range).split())
