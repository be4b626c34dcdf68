"""Read what the comment at the beginning of a file says of what is in it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from crawler.cpp.comments import find_comments
from crawler.cpp.leading_comments import holds_code, read_comment_lines

_MAX_COMMENTS: Final = 400
"""Each line that begins with `//` is one."""
_MIN_WORDS: Final = 3
# a paragraph of a comment: of a licence, or of who may do what
_LICENCE: Final = re.compile(
    r"(?i)copyright|\blicen[cs]|all rights reserved|spdx|\(c\) ?\d|redistribut|warrant"
    r"|permission is hereby|disclaim|reproduc|endorse|in no event|proprietary|free software"
    r"|\bcite\b|\bGNU\b"
)
# a line of a comment: the name of the file, or how to compile and to call it
_ABOUT_USE: Final = re.compile(
    r"(?i)\s*(?:[@\\]file\b.*|[\w./-]+\.(?:cuh?|h|hpp|c|cc|cpp|cxx|hip|inl)"
    r"|(?:build|compile|usage|run)\b.*|nvcc\b.*|hipcc\b.*|\./.*|\$.*|-\*-.*"
    r"|[@\\](?:authors?|date|version|copyright|ingroup|defgroup)\b.*)\s*"
)
# raw text behind a comment that is about no declaration: an empty line, a directive, or nothing
_APART: Final = re.compile(r"[ \t]*(?:\n[ \t]*(?:\n|#|\Z)|\Z)")
# raw text between the comments of a file's beginning
_GUARD: Final = re.compile(r"\s*(?:#[ \t]*(?:pragma once|ifndef \w+|define \w+)\s*)*")


def read_file_comment(text: str) -> str:
    """Return the first paragraph of the comments that a file begins with which says something of
    it; empty where none does.

    Nothing is taken of a licence, of the file's name, and of how it is compiled.
    """
    position = 0
    for start, end in islice(find_comments(text), _MAX_COMMENTS):
        if not _GUARD.fullmatch(text, position, start):
            break
        position = end

    if not _APART.match(text, position):
        position = max(0, text.rfind("\n\n", 0, position))

    lines = [
        "" if line.startswith("#") or _ABOUT_USE.fullmatch(line) else line
        for line in read_comment_lines(text[:position].splitlines())
    ]
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        is_prose = len(paragraph.split()) >= _MIN_WORDS and not holds_code(paragraph)
        if is_prose and not _LICENCE.search(paragraph):
            return paragraph.strip()

    return ""
