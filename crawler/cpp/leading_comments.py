"""Read the comment that stands in front of a declaration, as the prose that its author wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MAX_CHARACTERS: Final = 16 << 10
"""Text before a declaration that is looked at: a bound, since a file's author is a stranger."""
_MAX_HEAD_LINES: Final = 6
"""Lines of a declaration in front of its name: `template <typename T>`, attributes, macros."""
# the bare line of a banner, which says nothing: `//=====`, ` * `
_WORD: Final = re.compile(r"[^\W\d_]")
# what begins a line within a comment: `///<`, `//!`, `/**`, ` * `
_LINE_MARK: Final = re.compile(r"\A\s*+(?://+[!<]*|/\*+[!<]*|\*+(?!/))[ \t]?")
# commands of Doxygen that stand in front of prose: `@brief Adds`, `\details This`
_PROSE_COMMAND: Final = re.compile(
    r"[@\\](?:brief|short|details?|note|remarks?)\b\s*:?\s*"
)
# commands that lead a section, of which a summary takes nothing: `@param x`, `\tparam T`
_SECTION_COMMAND: Final = re.compile(
    r"\s*[@\\](?:t?param|returns?|retval|throws?|see|sa|todo|author|date|file|copyright)\b"
)
# commands in front of one word: `@p size`, `\c float`
_WORD_COMMAND: Final = re.compile(r"[@\\](?:p|c|a|e|b|em|ref)\s+(?=\w)")
# what people write for their tools or themselves, no statement on the code
_NOTE_TO_SELF: Final = re.compile(
    r"(?i)\s*(?:todo|fixme|xxx|hack|nolint|clang-format|pragma|region|endregion)\b"
)
# code that was commented out: `x = y;`, `if (n) {`, `#define N 4`
_CODE_LINE: Final = re.compile(r"[;{}]\s*$|^\s*#\s*\w+|<<<|^\s*(?:if|for|while) ?\(")
# the notice of a licence, or the name of an author
_NOTICE: Final = re.compile(
    r"(?i)copyright|\blicen[cs]ed?\b|all rights reserved|spdx-|\bauthors?\s*:|\(c\)\s"
)


def read_leading_comment(before: str) -> str:
    """Return the text of the comment that ends what stands `before` a declaration, without its
    marks; empty where there is none, or where it is a notice or code that was commented out.
    """
    # the line of the declaration itself may begin with an attribute
    whole_lines = before[-MAX_CHARACTERS : before.rfind("\n") + 1]
    lines = _take_comment(whole_lines.splitlines())
    prose = "\n".join(map(_clean, _drop_sections(_strip_marks(lines))))
    if _NOTICE.search(prose) or holds_code(prose):
        return ""

    return prose.strip()


def read_comment_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines of comments as their prose, without marks, banners and commands."""
    return [_clean(line) for line in _strip_marks(lines)]


def holds_code(prose: str) -> bool:
    """Tell whether a line of a comment is code that was commented out."""
    return any(map(_CODE_LINE.search, prose.splitlines()))


def _strip_marks(lines: Iterable[str]) -> list[str]:
    text_lines = [_LINE_MARK.sub("", line, count=1).rstrip() for line in lines]
    return [
        line.rstrip("*/ \t") if line.endswith("*/") else line for line in text_lines
    ]


def _take_comment(lines: list[str]) -> list[str]:
    """Return the lines of the comment that ends `lines`, but for the head of the declaration."""
    for _ in range(_MAX_HEAD_LINES):
        if not lines or _is_end_of_comment(lines[-1]):
            break
        last = lines[-1].strip()
        # what ends another declaration, or a directive, which the comment may be about
        if not last or last.endswith((";", "}")) or last.startswith("#"):
            return []
        lines = lines[:-1]

    if not lines or not _is_end_of_comment(lines[-1]):
        return []

    first = len(lines) - 1
    if lines[-1].lstrip().startswith("//"):
        while first > 0 and lines[first - 1].lstrip().startswith("//"):
            first -= 1
        return lines[first:]

    while first > 0 and "/*" not in lines[first]:
        first -= 1

    # `int x; /* of the line before */`
    is_own_line = lines[first].lstrip().startswith("/*")
    return lines[first:] if is_own_line else []


def _is_end_of_comment(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith("//") or stripped.endswith("*/")


def _drop_sections(lines: list[str]) -> list[str]:
    """Return the lines before the first section, without notes to self."""
    kept_lines = []
    for line in lines:
        if _SECTION_COMMAND.match(line):
            break
        if not _NOTE_TO_SELF.match(line):
            kept_lines.append(line)

    return kept_lines


def _clean(line: str) -> str:
    """Return a line without banners and commands of Doxygen."""
    if not _WORD.search(line):
        return ""

    text = _PROSE_COMMAND.sub("", line).strip()
    text = _WORD_COMMAND.sub("", text)

    return text.strip("=-*#~ \t") if re.search(r"[=\-*#~]{3}", text) else text
