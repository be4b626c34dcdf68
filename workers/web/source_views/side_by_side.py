"""A source beside its port: lines that belong together, and the rules that changed them."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from crawler.model import PortReport
from workers.web.source_views.highlight import count_lines
from workers.web.visible_text import shorten_line, spell_out

_COMPARED_CHARACTERS: Final = 100_000
SHOWN_CHARACTERS: Final = 9_000
_MAX_LINES: Final = 1000
"""Of each text: with many short lines that repeat, comparing takes as long as their square."""
_CONTEXT_LINES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a source, and the line of the port that stands in its place."""

    kind: str
    """`same`, `changed`, `removed`, `added`, or `gap` for equal lines that are left out."""
    left_number: int
    """From 1; 0 where there is no line."""
    left: str
    right_number: int
    right: str
    rules: tuple[str, ...]
    """Names of the port rules that changed the line."""


def compare_texts(
    left: str,
    right: str,
    report: PortReport | None,
    *,
    budget: int = SHOWN_CHARACTERS,
) -> tuple[DiffLine, ...]:
    """Return the lines of two texts side by side, those round changes alone, that have room."""
    (left_lines, left_rest), (right_lines, right_rest) = map(_cut_text, (left, right))
    rules = _group_rules(report)
    # it leaves out lines that are everywhere, which a stranger may have written to stop us
    matcher = difflib.SequenceMatcher(None, left_lines, right_lines)
    lines: list[DiffLine] = []
    behind = 0
    for group in matcher.get_grouped_opcodes(_CONTEXT_LINES):
        lines += _make_gap(group[0][1] - behind)
        behind = group[-1][2]
        for tag, start, end, right_start, right_end in group:
            lines += _iter_lines(
                tag,
                list(enumerate(left_lines[start:end], start + 1)),
                list(enumerate(right_lines[right_start:right_end], right_start + 1)),
                rules,
            )

    if lines:
        lines += _make_gap(len(left_lines) - behind)
    shown_count = _count_shown(lines, budget)
    if left_rest or right_rest or shown_count < len(lines):
        rest = "… what stands behind this is too long to be compared here"
        lines[shown_count:] = [_make_line("gap", 0, rest, 0, rest, {})]
    return tuple(lines)


def _make_gap(count: int) -> list[DiffLine]:
    """Return what stands in the place of equal lines; nothing for none."""
    if not count:
        return []
    text = f"… {count} {'line is' if count == 1 else 'lines are'} the same …"
    return [_make_line("gap", 0, text, 0, text, {})]


def _cut_text(text: str) -> tuple[list[str], bool]:
    """Return the lines of a text that are compared, and whether there are more."""
    all_lines = spell_out(text).split("\n")
    lines = [shorten_line(line) for line in all_lines[:_MAX_LINES]]
    number = count_lines(lines, _COMPARED_CHARACTERS)
    return lines[:number], number < len(all_lines)


def _count_shown(lines: Sequence[DiffLine], budget: int) -> int:
    texts = [max(line.left, line.right, key=len) for line in lines]
    return count_lines(texts, budget)


def _group_rules(report: PortReport | None) -> dict[int, list[str]]:
    """Return line of the source to the names of the rules that changed it."""
    rules: dict[int, list[str]] = defaultdict(list)
    for change in report.changes if report else ():
        if change.rule not in rules[change.line]:
            rules[change.line].append(change.rule)

    return rules


def _iter_lines(
    tag: str,
    left: Sequence[tuple[int, str]],
    right: Sequence[tuple[int, str]],
    rules: dict[int, list[str]],
) -> Iterator[DiffLine]:
    for own, other in zip_longest(left, right, fillvalue=(0, "")):
        kind = "same" if tag == "equal" else "changed"
        if not own[0]:
            kind = "added"
        elif not other[0]:
            kind = "removed"
        shown_rules = rules if kind != "same" else {}
        yield _make_line(kind, own[0], own[1], other[0], other[1], shown_rules)


def _make_line(
    kind: str,
    left_number: int,
    left: str,
    right_number: int,
    right: str,
    rules: dict[int, list[str]],
) -> DiffLine:
    return DiffLine(
        kind=kind,
        left_number=left_number,
        left=left,
        right_number=right_number,
        right=right,
        rules=tuple(rules.get(left_number, ())),
    )
