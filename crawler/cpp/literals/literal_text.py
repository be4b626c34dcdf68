"""What a program reads where string literals stand, with the file offset of each character."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

# between the quotes of one literal
_ESCAPE: Final = re.compile(r"\\(\r?\n|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_CONTROL_CHARACTERS: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "b": "\b",
}
# fields of `str.format` and of f-strings, and the doubled braces that stand for one
_FIELD: Final = re.compile(r"\{\{|\}\}|\{[^{}\n]{0,200}\}")
_NAMED_FIELD: Final = re.compile(
    r"\{(?:[A-Za-z_][\w.\[\]]*|\d*)(?:![rsa])?(?::[^{}\n]*)?\}"
)


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """What a program reads where literals stand side by side, or are added up.

    Escapes are resolved, and all of it is one text.
    """

    text: str
    offsets: array[int]
    """Where in the file each character of `text` begins."""
    placeholder_ranges: tuple[tuple[int, int], ...] = ()
    """Ranges of `text` that are filled in later.

    They are fields of `str.format` and f-strings, and what is added between literals.
    """

    def file_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the range in the file that a range of `text` was written in."""
        return self.offsets[start], self.offsets[end - 1] + 1


class LiteralPart(NamedTuple):
    """One literal between its quotes, by its offsets in the file."""

    start: int
    end: int
    is_raw: bool
    """Whether backslashes stand for themselves."""
    is_formatted: bool
    """Whether it is an f-string."""


class PlaceholderPart(NamedTuple):
    """What is added between two literals and is none itself."""

    text: str
    start: int
    """Where it begins in the file."""


def read_literal(
    source: str, parts: Iterable[LiteralPart | PlaceholderPart]
) -> StringLiteral:
    """Return the one text that literals and what is added between them make.

    Where no part says that it is formatted, a text that looks like one for `str.format` is read
    as such: `{{` is one brace, and fields are placeholders.
    """
    builder = _LiteralBuilder()
    is_formatted = False

    for part in parts:
        if isinstance(part, PlaceholderPart):
            builder.add_placeholder(part)
            continue

        read_text = _read_verbatim if part.is_raw else _resolve_escapes
        text, offsets = read_text(source, part.start, part.end)
        builder.add_text(text, offsets, is_format=part.is_formatted)
        is_formatted = is_formatted or part.is_formatted

    literal = builder.build()
    if is_formatted or literal.placeholder_ranges or not _is_format(literal.text):
        return literal

    format_builder = _LiteralBuilder()
    format_builder.add_text(literal.text, literal.offsets, is_format=True)

    return format_builder.build()


class _LiteralBuilder:
    """A text that grows by pieces."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._offsets: array[int] = array("Q")
        self._placeholder_ranges: list[tuple[int, int]] = []

    def add_text(self, text: str, offsets: array[int], *, is_format: bool) -> None:
        """Add a piece; in a format doubled braces are one, and fields are placeholders."""
        copied_end = 0
        fields = _FIELD.finditer(text) if is_format else ()

        for field in fields:
            is_doubled_brace = field[0] in ("{{", "}}")
            # of a doubled brace the first one stays
            piece_end = field.start() + 1 if is_doubled_brace else field.end()
            self._append(text[copied_end:piece_end], offsets[copied_end:piece_end])

            if not is_doubled_brace:
                end = len(self._offsets)
                self._placeholder_ranges.append((end - len(field[0]), end))

            copied_end = field.end()

        self._append(text[copied_end:], offsets[copied_end:])

    def add_placeholder(self, part: PlaceholderPart) -> None:
        """Add what is no literal; all of it is said to begin at one offset."""
        # as many offsets as characters, all the same
        start = len(self._offsets)
        self._placeholder_ranges.append((start, start + len(part.text)))
        self._append(part.text, array("Q", [part.start] * len(part.text)))

    def build(self) -> StringLiteral:
        """Return what was added."""
        return StringLiteral(
            text="".join(self._pieces),
            offsets=self._offsets,
            placeholder_ranges=tuple(self._placeholder_ranges),
        )

    def _append(self, text: str, offsets: array[int]) -> None:
        self._pieces.append(text)
        self._offsets.extend(offsets)


def _read_verbatim(source: str, start: int, end: int) -> tuple[str, array[int]]:
    return source[start:end], array("Q", range(start, end))


def _resolve_escapes(source: str, start: int, end: int) -> tuple[str, array[int]]:
    pieces: list[str] = []
    offsets: array[int] = array("Q")

    for escape in _ESCAPE.finditer(source, start, end):
        pieces.append(source[start : escape.start()])
        offsets.extend(range(start, escape.start()))

        # whatever an escape stands for, it is written where its backslash is
        character = _resolve_escape(escape[1])
        pieces.append(character)
        offsets.extend([escape.start()] * len(character))
        start = escape.end()

    pieces.append(source[start:end])
    offsets.extend(range(start, end))

    return "".join(pieces), offsets


def _resolve_escape(escape: str) -> str:
    """Return what stands for a backslash with `escape` behind it."""
    if escape.endswith("\n"):
        # a continued line
        return ""
    if escape[0] == "x" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape[0] in "01234567":
        return chr(int(escape, 8) & 0xFF)
    if escape in _CONTROL_CHARACTERS:
        return _CONTROL_CHARACTERS[escape]

    # an unknown escape keeps its backslash, as in Python
    return escape if escape in "\\'\"?" else f"\\{escape}"


def _is_format(text: str) -> bool:
    """Tell whether a text is one for `str.format`.

    Every brace of such a text is doubled or a field's, and some are doubled.
    """
    if "{{" not in text:
        return False

    without_fields = _FIELD.sub(_drop_field, text)
    return "{" not in without_fields and "}" not in without_fields


def _drop_field(field: re.Match[str]) -> str:
    is_doubled_brace = field[0] in ("{{", "}}")
    if is_doubled_brace or _NAMED_FIELD.fullmatch(field[0]):
        return ""

    return field[0]
