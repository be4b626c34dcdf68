"""Split inline assembly that contains preprocessor branches into one statement per branch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.cpp.directives import OPENING
from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.ptx.inline_assembly import find_assembly_spans

# Whole lines of masked code, in which comments are blank and spliced lines one: the text between
# the directives is what is wanted, not only the directives.
_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(\w*)[^\n]*$\n?", re.MULTILINE)
_ELSE: Final = re.compile(r"#[ \t]*else\b")
_MAX_BLANKS: Final = 256
"""Characters in front of an assembly that are looked at for a backslash."""
_MAX_LINES: Final = 16
"""Lines that one assembly becomes, at most."""


@dataclass(slots=True)
class _Conditional:
    """The branches of one `#if … #endif`: each directive and the text below it."""

    directives: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def split_conditional_assembly(source: MaskedSource) -> MaskedSource:
    """Return a text in which no `asm(…)` has a directive inside, as far as can be; each line
    keeps its number.
    """
    edits = list(find_branch_edits(source))
    return MaskedSource(apply_edits(source.text, edits)) if edits else source


def find_branch_edits(source: MaskedSource) -> Iterator[Edit]:
    """Yield what each `asm(…)` with directives inside becomes: the directives, and a whole
    `asm(…)` in each branch.
    """
    if "#" not in source.code:
        return

    for start, end in find_assembly_spans(source):
        if "#" not in source.code[start:end]:
            continue
        # a line end behind it would be none
        if source.code[max(0, start - _MAX_BLANKS) : start].rstrip().endswith("\\"):
            continue

        text = _split_statement(source, start, end)
        if text:
            yield start, end, text


def _split_statement(source: MaskedSource, start: int, end: int) -> str:
    """Return what an assembly becomes; empty where nothing branches in it, or not in one way."""
    common_texts, conditionals = _parse_branches(source, start, end)
    if not conditionals:
        return ""

    # e.g. a template and its operands that both differ by `#ifdef USE_L1`
    directives = conditionals[0].directives
    for conditional in conditionals:
        if conditional.directives != directives:
            return ""

    lines = [""]
    for branch, directive in enumerate(directives):
        branch_texts = [conditional.texts[branch] for conditional in conditionals]
        statement = _interleave(common_texts, branch_texts)
        lines += [directive, statement]
    if len(lines) > _MAX_LINES:
        return ""

    text = "\n".join([*lines, "#endif", ""])
    line_count = source.text.count("\n", start, end)
    missing_lines = line_count - text.count("\n")
    if missing_lines < 0:
        return ""
    return text + "\n" * missing_lines


def _interleave(common_texts: Sequence[str], branch_texts: Sequence[str]) -> str:
    """Return the statement of one branch; `common_texts` are one more than `branch_texts`."""
    pieces = []
    for common, chosen in zip(common_texts, [*branch_texts, ""], strict=True):
        pieces.append(f"{common} {chosen} ")

    return "".join(pieces)


def _parse_branches(
    source: MaskedSource, start: int, end: int
) -> tuple[list[str], list[_Conditional]]:
    """Return the texts around the conditionals of an assembly, and the conditionals.

    Both are empty where conditionals are nested or not closed.
    """
    common_texts: list[str] = []
    conditionals: list[_Conditional] = []
    current: _Conditional | None = None
    done = start

    for line in _DIRECTIVE.finditer(source.code, start, end):
        line_start, line_end = line.span()
        text = _join_lines(source.text[done:line_start])
        directive = _join_lines(source.text[line_start:line_end])
        done = line_end

        keyword = line[1]
        if current is None:
            if keyword not in OPENING:
                return [], []
            common_texts.append(text)
            current = _Conditional([directive])
        elif keyword in ("elif", "else"):
            current.texts.append(text)
            current.directives.append(directive)
        elif keyword == "endif":
            current.texts.append(text)
            conditionals.append(_with_else(current))
            current = None
        else:
            return [], []

    if current is not None:
        return [], []
    last_text = _join_lines(source.text[done:end])
    return [*common_texts, last_text], conditionals


def _with_else(conditional: _Conditional) -> _Conditional:
    """Return a conditional of which one branch is always taken."""
    last_directive = conditional.directives[-1]
    if _ELSE.match(last_directive):
        return conditional

    directives = [*conditional.directives, "#else"]
    texts = [*conditional.texts, ""]
    return _Conditional(directives, texts)


def _join_lines(text: str) -> str:
    """Return a text in one line, without comments."""
    pieces = []
    for token in tokenize(text):
        is_blank = token.kind in (TokenKind.COMMENT, TokenKind.SPACE)
        piece = " " if is_blank else token.text
        pieces.append(piece)

    joined = "".join(pieces)
    return joined.strip()
