"""Source text with comments and literals masked, every offset preserved."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from crawler.cpp.lexer import (
    HEADER_OR_MESSAGE_PATTERN,
    TokenKind,
    tokenize,
    tokenize_sequentially,
)

WHITESPACE: Final = " \t\r\n\f\v"
WHITESPACE_PATTERN: Final = r"[ \t\r\n\f\v]*+"
_FILL: Final = '"'
"""What stands for each character of a string, a character, a header and a message: something,
and nothing known.
"""
_COMMENT: Final = (
    r"//[^\\\n]*+(?:\\(?:\r?\n)?[^\\\n]*+)*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
)
_QUOTED: Final = r"{0}[^{0}\\\n]*+(?:\\(?:\r?\n|[^\r\n])?[^{0}\\\n]*+)*+{0}?"
_OPAQUE: Final = re.compile(
    rf"{_COMMENT}|{_QUOTED.format(chr(34))}|{_QUOTED.format(chr(39))}|{HEADER_OR_MESSAGE_PATTERN}"
)
_PREFIXED: Final = re.compile(r"[8uULR][\"']")
"""What the sketch does not see as one token: `u8"text"`, `L'c'`, a raw string."""
_INCLUDE: Final = re.compile(r"#[ \t]*include[ \t]*(?=[<\"])")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_APART: Final = str.maketrans(
    {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
)
_IN_NUMBER: Final = re.compile(
    r"(?:\.[0-9]|(?<![\w.])[0-9])(?:[eEpP][+-]|'?[0-9A-Za-z_.])*\Z"
)
_LONGEST_NUMBER: Final = 64
_FILLED: Final = frozenset(
    {TokenKind.STRING, TokenKind.CHARACTER, TokenKind.HEADER, TokenKind.MESSAGE}
)
_ALONE: Final = frozenset({TokenKind.HEADER, TokenKind.MESSAGE})
# names and signs that begin nothing longer come first: most tokens are one of these
_SIGNIFICANT: Final = re.compile(
    r"[^\W\d]\w*+|[;,(){}\[\]=*+%&|^!~?]"
    r"|\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*+"
    rf"|{_COMMENT}|{_QUOTED.format(chr(34))}|{_QUOTED.format(chr(39))}|<<<|>>>|::|->|\#\#|[^ \t\r\n\f\v]"
)


class _Part(NamedTuple):
    """A part of a text that is no code: a comment, or what is filled."""

    start: int
    end: int
    kind: TokenKind


class MaskedSource:
    """A text, and the same text with all blanked that is no code: every place is the same in
    both.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        parts = _quick(text)
        self._parts = list(_exact(text)) if parts is None else parts
        self.code = _blanked(text, self._parts)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name in the code, keywords and numbers among them."""
        if self.code.isascii():
            return frozenset(self.code.translate(_APART).split())
        return frozenset(_NAME.findall(self.code))

    @property
    def header_ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the place of each included header, with its brackets or quotes."""
        return (
            (part.start, part.end)
            for part in self._parts
            if part.kind is TokenKind.HEADER
        )

    def line_number(self, offset: int) -> int:
        """Return the line of a place, from 1."""
        return bisect_left(self._line_ends, offset) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        # one character more at the beginning of each line but the first stands for the end of
        # the line before
        return list(accumulate(map(len, self.text.replace("\n", "\n ").split("\n"))))

    def find_word_offsets(self, word: str) -> Iterator[int]:
        """Yield where a name stands as a whole name, in order."""
        code, size = self.code, len(word)
        at = code.find(word)
        while at >= 0:
            end = at + size
            if (
                not is_word_character(code[at - 1 : at])
                and not is_word_character(code[end : end + 1])
                and not self._in_number(at)
            ):
                yield at
            at = code.find(word, end)

    def token_before(self, offset: int) -> tuple[int, str]:
        """Return where the token before a place begins, and its text; empty where there is none."""
        code = self.code
        while offset and code[offset - 1] in WHITESPACE:
            offset -= 1
        end = offset
        while offset and is_word_character(code[offset - 1]):
            offset -= 1
        if offset < end or not end:
            return offset, code[offset:end]
        start = end - 2 if code.endswith(("->", "::"), 0, end) else end - 1
        return start, code[start:end]

    def token_start_after(self, offset: int) -> str:
        """Return the sign behind a place, or the first character of another token; empty where
        there is none.
        """
        code, size = self.code, len(self.code)
        while offset < size and code[offset] in WHITESPACE:
            offset += 1
        return next(
            (sign for sign in ("<<<", "::") if code.startswith(sign, offset)),
            code[offset : offset + 1],
        )

    def _in_number(self, at: int) -> bool:
        """Tell whether a number goes on here, as in `1.f`."""
        if self.code[at - 1 : at] not in (".", "'", "+", "-"):
            return False
        return (
            _IN_NUMBER.search(self.code, max(0, at - _LONGEST_NUMBER), at) is not None
        )


def is_word_character(character: str) -> bool:
    """Tell whether a character may stand in a name."""
    return character.isalnum() or character == "_"


def compute_quick_token_digest(text: str) -> str:
    """Return the sha256 over the significant tokens: the same for texts that differ in layout
    and comments only.

    The texts are skimmed where that tells the tokens: it takes a fraction of the time.
    """
    if _PREFIXED.search(text) or (parts := _quick(text)) is None:
        seen: Iterable[str] = (
            token.text
            for token in tokenize(text)
            if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
        )
    else:
        seen = _significant(text, parts)
    return hashlib.sha256(
        "\0".join([*seen, ""]).encode("utf-8", "surrogateescape")
    ).hexdigest()


def _significant(text: str, parts: Iterable[_Part]) -> list[str]:
    """Return the tokens between comments; a header or a message is one in itself."""
    found: list[str] = []
    code: list[str] = []
    done = 0
    for start, end, kind in parts:
        code.append(_joined(text[done:start]))
        done = end
        if kind in _ALONE:
            found += _SIGNIFICANT.findall("".join(code))
            found.append(text[start:end])
            code.clear()
        else:
            code.append(" " if kind is TokenKind.COMMENT else text[start:end])
    found += _SIGNIFICANT.findall("".join([*code, _joined(text[done:])]))
    return found


def _joined(code: str) -> str:
    return code.replace("\\\r\n", " ").replace("\\\n", " ") if "\\" in code else code


def mask_exactly(text: str) -> MaskedSource:
    """Return the sketch that the tokenizer gives: slower, and right for any text."""
    seen = MaskedSource("")
    seen.text, seen._parts = text, list(_exact(text))
    seen.code = _blanked(text, seen._parts)
    return seen


def _blanked(text: str, parts: Iterable[_Part]) -> str:
    pieces = []
    done = 0
    for start, end, kind in parts:
        pieces.append(text[done:start])
        pieces.append((" " if kind is TokenKind.COMMENT else _FILL) * (end - start))
        done = end
    pieces.append(text[done:])
    code = "".join(pieces)
    return code.replace("\\\r\n", "   ").replace("\\\n", "  ") if "\\" in code else code


def _quick(text: str) -> list[_Part] | None:
    """Return the parts that are no code, `None` where only the tokenizer can tell."""
    if 'R"' in text:
        return None
    parts: list[_Part] = []
    for found in _OPAQUE.finditer(text):
        start, end = found.span()
        first = text[start]
        if first == "/":
            parts.append(_Part(start, end, TokenKind.COMMENT))
        elif first == '"':
            parts.append(_Part(start, end, TokenKind.STRING))
        elif first == "'" and not _continues(text, start):
            parts.append(_Part(start, end, TokenKind.CHARACTER))
        elif first == "#" and _begins_line(text, start):
            parts += _of_directive(text, start, end)
        else:
            return None
    return parts


def _continues(text: str, start: int) -> bool:
    """Tell whether what stands before may be one token with what begins here: a number or a
    prefix.
    """
    return start > 0 and (is_word_character(text[start - 1]) or text[start - 1] == ".")


def _begins_line(text: str, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    return text[line:start].strip(" \t\r\f\v") == "" and not text.endswith(
        ("\\\n", "\\\r\n"), 0, line
    )


def _of_directive(text: str, start: int, end: int) -> Iterator[_Part]:
    plain = _INCLUDE.match(text, start, end)
    if plain:
        yield _Part(plain.end(), end, TokenKind.HEADER)
    else:
        yield from (
            _Part(start + one.start, start + one.end, one.kind)
            for one in _parts_of(text[start:end], exactly=True)
        )


def _exact(text: str) -> Iterator[_Part]:
    return _parts_of(text, exactly=False)


def _parts_of(text: str, *, exactly: bool) -> Iterator[_Part]:
    at = 0
    for token in tokenize_sequentially(text) if exactly else tokenize(text):
        end = at + len(token.text)
        if token.kind is TokenKind.COMMENT:
            yield _Part(at, end, token.kind)
        elif token.kind in _FILLED:
            # what stands before the quote of a string may as well be a name
            quote = token.text.find("'" if token.kind is TokenKind.CHARACTER else '"')
            prefixed = (
                token.kind in (TokenKind.STRING, TokenKind.CHARACTER) and quote > 0
            )
            yield _Part(at + (quote if prefixed else 0), end, token.kind)
        at = end
