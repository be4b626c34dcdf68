"""String literals of Python and C++ sources, escapes resolved, with the file offset of each
character.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crawler.cpp.lexer import TokenKind, tokenize

# Every alternative is linear: what is never closed runs to the end of its line or of the text.
_PYTHON: Final = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<string>[rRbBuUfFtT]{0,2}(?:\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)
        |"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))
    | (?P<newline>\n)
    | (?P<space>[ \t\r\f\v]+|\\\r?\n)
    | (?P<name>\w+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENED: Final = re.compile(r"(?P<prefix>\w*)(?P<quote>\"{3}|'{3}|[\"'])")
_RAW: Final = re.compile(r'\w*R"(?P<delimiter>[^()\\\s"]{0,16})\(')
_ESCAPE: Final = re.compile(r"\\(\r?\n|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_CONTROL: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "b": "\b",
}
_FIELD: Final = re.compile(r"\{\{|\}\}|\{[^{}\n]{0,200}\}")
_NAMED_FIELD: Final = re.compile(
    r"\{(?:[A-Za-z_][\w.\[\]]*|\d*)(?:![rsa])?(?::[^{}\n]*)?\}"
)
_LONGEST_GAP: Final = 60


class _Part(NamedTuple):
    """One literal between its quotes."""

    start: int
    end: int
    is_raw: bool
    is_formatted: bool


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """What a program reads where literals stand side by side, or are added up: escapes
    resolved, one text.
    """

    text: str
    offsets: array[int]
    """Where in the file each character of `text` begins."""
    placeholder_ranges: tuple[tuple[int, int], ...] = ()
    """Ranges of `text` that are filled in later: fields of `str.format` and f-strings, what is
    added between.
    """

    def file_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the range in the file that a range of `text` was written in."""
        return self.offsets[start], self.offsets[end - 1] + 1


def find_python_literals(source: str, word: str) -> Iterator[StringLiteral]:
    """Yield the literals that hold `word`, but for documentation: a statement that is nothing
    but a string.
    """
    known = list(_significant(source))
    at = 0
    while at < len(known):
        if known[at].kind != "string":
            at += 1
            continue
        group, after = _added(known, at)
        if any(word in token.text for token in group) and not _is_statement(
            known, at, after
        ):
            yield _literal(source, group, _python_part)
        at = after


def find_cpp_literals(source: str, word: str) -> Iterator[StringLiteral]:
    """Yield the literals of C, C++ and their dialects that hold `word`; those side by side are
    one.
    """
    offset = 0
    group: list[_Token] = []
    for token in tokenize(source):
        if token.kind is TokenKind.STRING:
            group.append(_Token("string", token.text, offset))
        elif token.kind not in (TokenKind.SPACE, TokenKind.COMMENT) and group:
            yield from _holding(source, group, word)
            group = []
        offset += len(token.text)
    yield from _holding(source, group, word)


def _holding(
    source: str, group: Sequence[_Token], word: str
) -> Iterator[StringLiteral]:
    if any(word in token.text for token in group):
        yield _literal(source, group, _cpp_part)


def _significant(source: str) -> Iterator[_Token]:
    """Yield Python's tokens without blanks and comments; line ends only where they end a
    statement.
    """
    depth = 0
    for match in _PYTHON.finditer(source):
        kind, text = str(match.lastgroup), match.group()
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth = max(0, depth - 1)
        if kind not in ("comment", "space") and not (kind == "newline" and depth):
            yield _Token(kind, text, match.start())


def _added(known: Sequence[_Token], at: int) -> tuple[list[_Token], int]:
    """Return the literals that are one text from `at` on, sums between them, and the position
    behind the last.
    """
    group = [known[at]]
    after = at + 1
    while after < len(known):
        if known[after].kind != "string":
            following = _behind_sum(known, after)
            if following < 0:
                break
            if following > after + 1:
                summands = " ".join(
                    token.text for token in known[after + 1 : following - 1]
                )
                group.append(_Token("sum", f"{{{summands}}}", known[after + 1].start))
            after = following
        group.append(known[after])
        after += 1
    return group, after


def _behind_sum(known: Sequence[_Token], at: int) -> int:
    """Return the position of the literal that is added to what stands before `at`, over
    whatever is between; or -1.
    """
    if known[at].text != "+":
        return -1
    depth = 0
    for position in range(at + 1, min(len(known), at + _LONGEST_GAP)):
        text = known[position].text
        if known[position].kind == "string" and depth == 0:
            return position if known[position - 1].text == "+" else -1
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if depth < 0 or (depth == 0 and text in (",", "=", ":", "\n", ";")):
            return -1
    return -1


def _is_statement(known: Sequence[_Token], at: int, after: int) -> bool:
    begins = at == 0 or known[at - 1].kind == "newline"
    return begins and (after == len(known) or known[after].kind == "newline")


def _python_part(token: _Token) -> _Part:
    opened = _OPENED.match(token.text)
    assert opened is not None
    prefix, quote = opened["prefix"].lower(), opened["quote"]
    end = len(token.text)
    if end >= opened.end() + len(quote) and token.text.endswith(quote):
        end -= len(quote)
    return _Part(
        token.start + opened.end(),
        token.start + end,
        "r" in prefix,
        "f" in prefix or "t" in prefix,
    )


def _cpp_part(token: _Token) -> _Part:
    raw = _RAW.match(token.text)
    if raw:
        closing = f'){raw["delimiter"]}"'
        end = len(token.text) - len(closing) * token.text.endswith(closing)
        return _Part(
            token.start + raw.end(),
            token.start + max(raw.end(), end),
            is_raw=True,
            is_formatted=False,
        )
    begin = token.text.find('"') + 1
    end = len(token.text) - (len(token.text) > begin and token.text.endswith('"'))
    return _Part(
        token.start + begin, token.start + end, is_raw=False, is_formatted=False
    )


def _literal(
    source: str, group: Iterable[_Token], part_of: Callable[[_Token], _Part]
) -> StringLiteral:
    read = _Read()
    formatted = False
    for token in group:
        if token.kind == "sum":
            read.add_hole(token)
            continue
        part = part_of(token)
        read.add(
            *(_verbatim if part.is_raw else _unescaped)(source, part.start, part.end),
            part.is_formatted,
        )
        formatted = formatted or part.is_formatted
    joined = StringLiteral("".join(read.text), read.offsets, tuple(read.holes))
    if formatted or read.holes or not _is_format(joined.text):
        return joined
    whole = _Read()
    whole.add(joined.text, joined.offsets, is_template=True)
    return StringLiteral("".join(whole.text), whole.offsets, tuple(whole.holes))


class _Read:
    """A text that grows by pieces."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.offsets: array[int] = array("Q")
        self.holes: list[tuple[int, int]] = []

    def add(self, text: str, offsets: array[int], is_template: bool) -> None:
        """Add a piece; of a template's doubled braces each is one, and its fields are holes."""
        start = 0
        for match in _FIELD.finditer(text) if is_template else ():
            doubled = match.group() in ("{{", "}}")
            kept = match.start() + 1 if doubled else match.end()
            self._append(text[start:kept], offsets[start:kept])
            if not doubled:
                self.holes.append(
                    (len(self.offsets) - len(match.group()), len(self.offsets))
                )
            start = match.end()
        self._append(text[start:], offsets[start:])

    def add_hole(self, token: _Token) -> None:
        """Add what is no literal."""
        self.holes.append((len(self.offsets), len(self.offsets) + len(token.text)))
        self._append(token.text, array("Q", [token.start] * len(token.text)))

    def _append(self, text: str, offsets: array[int]) -> None:
        self.text.append(text)
        self.offsets.extend(offsets)


def _verbatim(source: str, start: int, end: int) -> tuple[str, array[int]]:
    return source[start:end], array("Q", range(start, end))


def _unescaped(source: str, start: int, end: int) -> tuple[str, array[int]]:
    text, offsets = [], array("Q")
    for match in _ESCAPE.finditer(source, start, end):
        text.append(source[start : match.start()])
        offsets.extend(range(start, match.start()))
        meant = _meant(match.group(1))
        text.append(meant)
        offsets.extend([match.start()] * len(meant))
        start = match.end()
    text.append(source[start:end])
    offsets.extend(range(start, end))
    return "".join(text), offsets


def _meant(escape: str) -> str:
    if escape.endswith("\n"):
        return ""
    if escape[0] == "x" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape[0] in "01234567":
        return chr(int(escape, 8) & 0xFF)
    return _CONTROL.get(escape, escape if escape in "\\'\"?" else f"\\{escape}")


def _is_format(text: str) -> bool:
    """Tell whether a text is one for `str.format`: every brace is doubled or a field's, and
    some are doubled.
    """
    if "{{" not in text:
        return False
    rest = _FIELD.sub(
        lambda field: (
            "" if field.group() in ("{{", "}}") else _left_over(field.group())
        ),
        text,
    )
    return "{" not in rest and "}" not in rest


def _left_over(field: str) -> str:
    return "" if _NAMED_FIELD.fullmatch(field) else field
