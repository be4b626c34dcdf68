"""Recursive descent over the tokens of one C++ expression.

A parser of its own rather than tree-sitter or libclang: what stands in a launch is a fragment
whose names and types are mostly unknown, e.g. `at::ceil_div(x.size(0), kThreads)`, and hundreds
of them are parsed for one kernel.
"""

from __future__ import annotations

from typing import Final

from crawler.cpp.lexer import TokenKind
from crawler.validate.evidence.expressions.expression_tree import (
    Call,
    Expression,
    Name,
    Number,
    Operation,
)
from crawler.validate.evidence.expressions.expression_words import (
    TYPE_WORDS,
    ExpressionSyntaxError,
    parse_number,
)

Word = tuple[TokenKind, str]
_MAX_DEPTH: Final = 60
_MAX_TEMPLATE_WORDS: Final = 60
_BINARY_SIGNS: Final = (
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
"""By precedence, the loosest first."""
_PRECEDENCES: Final = {
    sign: precedence for precedence, signs in enumerate(_BINARY_SIGNS) for sign in signs
}
_PREFIX_SIGNS: Final = frozenset({"+", "-", "!", "~", "&", "*"})
_NAMED_CASTS: Final = frozenset(
    {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"}
)
_MEMBER_SIGNS: Final = (".", "->")
_TYPE_QUALIFIERS: Final = ("std", "::")


class ExpressionReader:
    """Reads one expression from left to right."""

    def __init__(self, words: list[Word]) -> None:
        self._words = words
        self._position = 0
        self._depth = 0

    @property
    def is_at_end(self) -> bool:
        """Tell whether every word was read."""
        return self._position >= len(self._words)

    def read_ternary(self) -> Expression:
        """Read an expression of the loosest binding: a condition with its two values, or less.

        Raises `ExpressionSyntaxError` or `IndexError` for anything else.
        """
        self._enter()
        tree = self._read_binary(0)

        if self._take("?"):
            value_if_true = self.read_ternary()
            self._expect(":")
            value_if_false = self.read_ternary()
            tree = Operation("?", (tree, value_if_true, value_if_false))

        self._depth -= 1

        return tree

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ExpressionSyntaxError("depth")

    def _peek(self, offset: int = 0) -> str:
        position = self._position + offset
        return self._words[position][1] if position < len(self._words) else ""

    def _take(self, text: str) -> bool:
        if self._peek() != text:
            return False
        self._position += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise ExpressionSyntaxError(text)

    def _text_since(self, begin: int) -> str:
        return "".join(word for _, word in self._words[begin : self._position])

    def _read_binary(self, min_precedence: int) -> Expression:
        # by precedence instead of a function a level: brackets within brackets stay shallow
        left_operand = self._read_prefixed()
        while True:
            sign = self._peek()
            precedence = _PRECEDENCES.get(sign, -1)
            if precedence < min_precedence:
                return left_operand

            self._position += 1
            right_operand = self._read_binary(precedence + 1)
            left_operand = Operation(sign, (left_operand, right_operand))

    def _read_prefixed(self) -> Expression:
        if self._peek() in _PREFIX_SIGNS:
            sign = self._peek()
            self._position += 1
            self._enter()
            operand = self._read_prefixed()
            self._depth -= 1

            # an address or what it points to counts as the variable itself
            return operand if sign in "+&*" else Operation(sign, (operand,))

        if self._peek() == "(":
            cast_end = self._find_cast_end()
            if cast_end:
                self._position = cast_end
                return self._read_prefixed()

        return self._read_postfixed()

    def _find_cast_end(self) -> int:
        """Return where a cast such as `(unsigned int)` ends, 0 for any other bracket."""
        begin = self._position + 1
        end = begin

        while end < len(self._words):
            word = self._words[end][1]
            if word not in TYPE_WORDS and word not in _TYPE_QUALIFIERS:
                break
            end += 1

        is_closed = end < len(self._words) and self._words[end][1] == ")"

        return end + 1 if end > begin and is_closed else 0

    def _read_postfixed(self) -> Expression:
        begin = self._position
        tree = self._read_primary()

        while True:
            if self._peek() in _MEMBER_SIGNS:
                self._position += 1
                self._take("template")
                tree = self._read_member(begin)
            elif self._peek() == "[":
                self._position += 1
                self.read_ternary()
                self._expect("]")
                tree = Name(self._text_since(begin))
            elif self._peek() in ("(", "{") and isinstance(tree, Name):
                tree = self._read_call(tree, begin)
            else:
                return tree

    def _read_member(self, begin: int) -> Expression:
        kind, _ = self._words[self._position]
        if kind is not TokenKind.NAME:
            raise ExpressionSyntaxError("member")

        self._position += 1
        self._skip_template_arguments()

        return Name(self._text_since(begin))

    def _read_call(self, function: Name, begin: int) -> Expression:
        closing = ")" if self._peek() == "(" else "}"
        callee = function.text
        receiver = ""

        for sign in _MEMBER_SIGNS:
            if sign in callee:
                receiver, _, callee = callee.rpartition(sign)
                break

        self._position += 1
        arguments = self._read_list(closing)
        without_template_arguments = callee.partition("<")[0]

        return Call(
            without_template_arguments, arguments, self._text_since(begin), receiver
        )

    def _read_list(self, closing: str) -> tuple[Expression, ...]:
        """Read expressions between commas up to a closing bracket, which is read too."""
        elements: list[Expression] = []

        while not self._take(closing):
            elements.append(self.read_ternary())
            if self._peek() != closing:
                self._expect(",")

        return tuple(elements)

    def _read_bracketed(self) -> Expression:
        """Read an expression and the round bracket that closes it."""
        tree = self.read_ternary()
        self._expect(")")
        return tree

    def _read_primary(self) -> Expression:
        begin = self._position
        kind, text = self._words[begin]
        self._position += 1
        if kind is TokenKind.NUMBER:
            return parse_number(text)
        if kind is TokenKind.CHARACTER:
            return Number(ord(text[1]) if len(text) == 3 else 0)
        if text == "(":
            return self._read_bracketed()

        if text == "{":
            elements = self._read_list("}")
            return Call("{}", elements, self._text_since(begin))

        if text == "sizeof":
            return self._read_sizeof()
        if kind is not TokenKind.NAME and text != "::":
            raise ExpressionSyntaxError(text)

        self._skip_qualified_name()
        if text in _NAMED_CASTS:
            self._expect("(")
            return self._read_bracketed()

        return Name(self._text_since(begin))

    def _skip_qualified_name(self) -> None:
        self._skip_template_arguments()
        while self._peek() == "::" or self._peek(-1) == "::":
            self._position += 1
            self._skip_template_arguments()

        # `unsigned long` is one name
        while self._peek(-1) in TYPE_WORDS and self._peek() in TYPE_WORDS:
            self._position += 1

    def _read_sizeof(self) -> Expression:
        self._expect("(")
        begin = self._position
        depth = 1

        while depth:
            if self.is_at_end:
                raise ExpressionSyntaxError("sizeof")
            depth += (self._peek() == "(") - (self._peek() == ")")
            self._position += 1

        pieces = []

        for _, word in self._words[begin : self._position - 1]:
            pieces.append(f"{word} " if word in TYPE_WORDS else word)

        operand = "".join(pieces).strip()

        return Name(f"sizeof({operand})")

    def _skip_template_arguments(self) -> None:
        """Step over template arguments, where the brackets are theirs: `<…>` and then `(`, `::`
        or `{`.
        """
        if self._peek() != "<":
            return

        limit = min(len(self._words), self._position + _MAX_TEMPLATE_WORDS)
        position = self._position
        depth = 0

        while position < limit:
            word = self._words[position][1]
            # of `a < b && c > (d)` these are comparisons
            if word in (";", "&&", "||", "{"):
                return

            depth += (word == "<") - (word == ">") - 2 * (word == ">>")
            position += 1
            if depth <= 0:
                break

        if depth != 0 or position >= len(self._words):
            return

        if self._words[position][1] in ("(", "::", "{"):
            self._position = position
