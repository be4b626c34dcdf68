"""Parse the C++ expressions that host code computes sizes with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.cpp.lexer import TokenKind, tokenize

MAX_TOKENS: Final = 600
"""Of one expression: what is longer computes no size."""
_DEEPEST: Final = 60


@dataclass(frozen=True, slots=True)
class Number:
    """A literal."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Name:
    """A name, or whatever else is not looked into, by its text without blanks: `n`,
    `at::kFloat`, `x.size(0)`.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with one, two or three operands: `-`, `*`, `?`."""

    sign: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call by name; `text` is the whole of it, `receiver` what stands before the last dot."""

    callee: str
    arguments: tuple[Expression, ...]
    text: str
    receiver: str = ""


Expression = Number | Name | Operation | Call
_BINDING: Final = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_TWO: Final = frozenset({"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"})
_PREFIX: Final = frozenset({"+", "-", "!", "~", "&", "*"})
_CASTS: Final = frozenset(
    {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"}
)
_TYPE_WORDS: Final = frozenset(
    [
        "unsigned",
        "signed",
        "int",
        "long",
        "short",
        "char",
        "float",
        "double",
        "bool",
        "size_t",
        "ssize_t",
        "auto",
        "const",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "uint",
        "ulong",
        "ushort",
        "uchar",
    ]
)
_INTEGER: Final = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*")
_DOTS: Final = (".", "->")


class ExpressionSyntaxError(ValueError):
    """The text is none that sizes are computed with."""


def parse_expression(text: str) -> Expression | None:
    """Return the tree of `text`, `None` for what is no such expression."""
    words: list[tuple[TokenKind, str]] = [
        (piece.kind, piece.text)
        for piece in tokenize(text)
        if piece.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]
    if not words or len(words) > MAX_TOKENS:
        return None
    try:
        reader = _Reader(words)
        tree = reader.ternary()
    except (ExpressionSyntaxError, IndexError):
        return None
    return tree if reader.at_end else None


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, words: list[tuple[TokenKind, str]]) -> None:
        self._words = _joined(words)
        self._at = 0
        self._depth = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._words)

    def _text(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._words[at][1] if at < len(self._words) else ""

    def _take(self, text: str) -> bool:
        if self._text() != text:
            return False
        self._at += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise ExpressionSyntaxError(text)

    def ternary(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionSyntaxError("depth")
        condition = self._binary(0)
        if self._take("?"):
            chosen = self.ternary()
            self._expect(":")
            condition = Operation("?", (condition, chosen, self.ternary()))
        self._depth -= 1
        return condition

    def _binary(self, level: int) -> Expression:
        if level == len(_BINDING):
            return self._prefixed()
        left = self._binary(level + 1)
        while self._text() in _BINDING[level]:
            sign = self._text()
            self._at += 1
            left = Operation(sign, (left, self._binary(level + 1)))
        return left

    def _prefixed(self) -> Expression:
        if self._text() in _PREFIX:
            sign = self._text()
            self._at += 1
            self._depth += 1
            if self._depth > _DEEPEST:
                raise ExpressionSyntaxError("depth")
            operand = self._prefixed()
            self._depth -= 1
            return operand if sign in "+&*" else Operation(sign, (operand,))
        if self._text() == "(" and (end := self._cast_end()):
            self._at = end
            return self._prefixed()
        return self._postfixed()

    def _cast_end(self) -> int:
        """Return where a cast such as `(unsigned int)` ends, 0 for any other bracket."""
        at = self._at + 1
        while at < len(self._words) and (
            self._words[at][1] in _TYPE_WORDS or self._words[at][1] in ("std", "::")
        ):
            at += 1
        return (
            at + 1
            if at > self._at + 1 and at < len(self._words) and self._words[at][1] == ")"
            else 0
        )

    def _postfixed(self) -> Expression:
        begin = self._at
        tree = self._primary()
        while True:
            if self._text() in _DOTS:
                self._at += 1
                self._take("template")
                tree = self._member(begin)
            elif self._text() == "[":
                self._at += 1
                self.ternary()
                self._expect("]")
                tree = Name(self._since(begin))
            elif self._text() in ("(", "{") and isinstance(tree, Name):
                tree = self._called(tree, begin)
            else:
                return tree

    def _member(self, begin: int) -> Expression:
        kind, _ = self._words[self._at]
        if kind is not TokenKind.NAME:
            raise ExpressionSyntaxError("member")
        self._at += 1
        self._skip_template()
        return Name(self._since(begin))

    def _called(self, tree: Name, begin: int) -> Expression:
        closing = ")" if self._text() == "(" else "}"
        head, receiver = tree.text, ""
        for dot in _DOTS:
            if dot in head:
                receiver, _, head = head.rpartition(dot)
                break
        self._at += 1
        arguments: list[Expression] = []
        while not self._take(closing):
            arguments.append(self.ternary())
            if self._text() != closing:
                self._expect(",")
        return Call(_plain(head), tuple(arguments), self._since(begin), receiver)

    def _primary(self) -> Expression:
        kind, text = self._words[self._at]
        self._at += 1
        if kind is TokenKind.NUMBER:
            return _number(text)
        if kind is TokenKind.CHARACTER:
            return Number(ord(text[1]) if len(text) == 3 else 0)
        if text == "(":
            tree = self.ternary()
            self._expect(")")
            return tree
        if text == "{":
            return self._listed()
        if text == "sizeof":
            return self._size_of()
        if kind is not TokenKind.NAME and text != "::":
            raise ExpressionSyntaxError(text)
        begin = self._at - 1
        self._qualified()
        if text in _CASTS:
            self._expect("(")
            tree = self.ternary()
            self._expect(")")
            return tree
        return Name(self._since(begin))

    def _listed(self) -> Expression:
        begin = self._at - 1
        elements: list[Expression] = []
        while not self._take("}"):
            elements.append(self.ternary())
            if self._text() != "}":
                self._expect(",")
        return Call("{}", tuple(elements), self._since(begin))

    def _qualified(self) -> None:
        self._skip_template()
        while self._text() == "::" or self._text(-1) == "::":
            self._at += 1
            self._skip_template()
        while self._text(-1) in _TYPE_WORDS and self._text() in _TYPE_WORDS:
            self._at += 1

    def _size_of(self) -> Expression:
        self._expect("(")
        begin, depth = self._at, 1
        while depth:
            depth += (self._text() == "(") - (self._text() == ")")
            if self.at_end:
                raise ExpressionSyntaxError("sizeof")
            self._at += 1
        inside = "".join(
            f"{word} " if word in _TYPE_WORDS else word
            for _, word in self._words[begin : self._at - 1]
        )
        return Name(f"sizeof({inside.strip()})")

    def _skip_template(self) -> None:
        """Step over template arguments, where the brackets are theirs: `<…>` and then `(`, `::`
        or `{`.
        """
        if self._text() != "<":
            return
        at, depth = self._at, 0
        while at < len(self._words) and at - self._at < 60:
            word = self._words[at][1]
            depth += (word == "<") - (word == ">") - 2 * (word == ">>")
            if word in (";", "&&", "||", "{"):
                return
            at += 1
            if depth <= 0:
                break
        if (
            depth == 0
            and at < len(self._words)
            and self._words[at][1] in ("(", "::", "{")
        ):
            self._at = at

    def _since(self, begin: int) -> str:
        return "".join(word for _, word in self._words[begin : self._at])


def _joined(words: list[tuple[TokenKind, str]]) -> list[tuple[TokenKind, str]]:
    """Join signs of two characters: the tokenizer gives them singly."""
    result: list[tuple[TokenKind, str]] = []
    for kind, text in words:
        if (
            result
            and kind is TokenKind.PUNCTUATION
            and result[-1][0] is TokenKind.PUNCTUATION
            and result[-1][1] + text in _TWO
        ):
            result[-1] = (kind, result[-1][1] + text)
        else:
            result.append((kind, text))
    return result


def _plain(callee: str) -> str:
    """Return a callee without its template arguments."""
    return callee.partition("<")[0]


def _number(text: str) -> Number:
    found = _INTEGER.fullmatch(text)
    if found:
        digits = found[1].replace("'", "")
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdecimal()
        try:
            return Number(int(digits, 8 if octal else 0))
        except ValueError as error:
            raise ExpressionSyntaxError(text) from error
    try:
        return Number(float(text.replace("'", "").rstrip("fFlL")))
    except ValueError as error:
        raise ExpressionSyntaxError(text) from error
