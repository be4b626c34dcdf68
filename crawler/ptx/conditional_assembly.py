"""Split inline assembly that contains preprocessor branches into one statement per branch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from crawler.cpp.edits import apply_edits
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.masked_source import MaskedSource
from crawler.model import Change
from crawler.ptx.inline_assembly import find_assembly_spans

_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(\w*)[^\n]*$\n?", re.MULTILINE)
_ELSE: Final = re.compile(r"#[ \t]*else\b")
_MOST: Final = 16
"""Lines that one assembly becomes, at most."""


@dataclass(slots=True)
class _Branches:
    """What stands in each branch of one `#if … #endif`, by the directive above it."""

    directives: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def split_conditional_assembly(
    source: MaskedSource,
) -> tuple[MaskedSource, list[Change]]:
    """Return a text in which no `asm(…)` has a directive inside, as far as can be; each line
    keeps its number.
    """
    if "#" not in source.code:
        return source, []
    found = [
        (start, end, text)
        for start, end in find_assembly_spans(source)
        if (text := _spread(source, start, end))
    ]
    if not found:
        return source, []
    changes = [
        Change(
            rule="ptx",
            line=source.line_number(start),
            before="#if",
            after="an asm a branch",
        )
        for start, _, _ in found
    ]
    return MaskedSource(apply_edits(source.text, found)), changes


def _spread(seen: MaskedSource, start: int, end: int) -> str:
    """Return what an assembly becomes; empty where nothing branches in it, or not in one way."""
    if "#" not in seen.code[start:end]:
        return ""
    common, groups = _read(seen, start, end)
    if not groups or any(group.directives != groups[0].directives for group in groups):
        return ""
    lines = [""]
    for number, directive in enumerate(groups[0].directives):
        chosen = [*(group.texts[number] for group in groups), ""]
        lines += [
            directive,
            "".join(
                f"{ours} {theirs} " for ours, theirs in zip(common, chosen, strict=True)
            ),
        ]
    text = "\n".join([*lines, "#endif", ""])
    missing = seen.text.count("\n", start, end) - text.count("\n")
    return text + "\n" * missing if missing >= 0 and len(lines) <= _MOST else ""


def _read(
    seen: MaskedSource, start: int, end: int
) -> tuple[list[str], list[_Branches]]:
    """Return what stands between the branches, one more than those, and the branches; none
    where they are nested.
    """
    common, groups, open_one = [], [], None
    done = start
    for found in _DIRECTIVE.finditer(seen.code, start, end):
        text, done, kind = (
            _on_a_line(seen.text[done : found.start()]),
            found.end(),
            found[1],
        )
        directive = _on_a_line(seen.text[found.start() : found.end()])
        if kind in ("if", "ifdef", "ifndef") and open_one is None:
            common.append(text)
            open_one = _Branches([directive])
        elif kind in ("elif", "else", "endif") and open_one is not None:
            open_one.texts.append(text)
            if kind != "endif":
                open_one.directives.append(directive)
                continue
            groups.append(_with_rest(open_one))
            open_one = None
        else:
            return [], []
    return (
        ([*common, _on_a_line(seen.text[done:end])], groups)
        if open_one is None
        else ([], [])
    )


def _with_rest(branches: _Branches) -> _Branches:
    """Return branches of which one is taken."""
    if _ELSE.match(branches.directives[-1]):
        return branches
    return _Branches([*branches.directives, "#else"], [*branches.texts, ""])


def _on_a_line(text: str) -> str:
    """Return a text without comments and line ends."""
    kept = (
        " " if token.kind in (TokenKind.COMMENT, TokenKind.SPACE) else token.text
        for token in tokenize(text)
    )
    return "".join(kept).strip()
