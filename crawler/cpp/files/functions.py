"""Find function definitions by tokens: range, body and qualified name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from crawler.cpp.files.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.files.structure_marks import DIRECTIVE, find_structure_marks
from crawler.cpp.lexer import TokenKind

_SCOPE_KEYWORDS: Final = frozenset({"namespace", "struct", "class", "union", "enum"})
_ATTRIBUTES_WITH_ARGUMENTS: Final = frozenset(
    {
        "__launch_bounds__",
        "__attribute__",
        "alignas",
        "decltype",
        "noexcept",
        "declspec",
    }
)
_NOT_SCOPE_NAMES: Final = frozenset(
    {"final", "inline", "class", *_ATTRIBUTES_WITH_ARGUMENTS}
)


class FunctionDefinition(NamedTuple):
    """A function definition; offsets in the file, the end behind its `}`."""

    start: int
    body_start: int
    end: int
    name: str


def find_enclosing_function(
    source: SourceText, offset: int
) -> FunctionDefinition | None:
    """Return the function in whose body an offset lies."""
    functions = find_functions(source)
    following = bisect_right(
        functions, offset, key=lambda function: function.body_start
    )
    if following == 0:
        return None

    candidate = functions[following - 1]
    return candidate if offset < candidate.end else None


@cache_per_source
def find_functions(source: SourceText) -> tuple[FunctionDefinition, ...]:
    """Return the function definitions of a file in order.

    Lambdas and local classes belong to the function that they stand in.
    """
    return tuple(_iter_functions(source))


@dataclass(slots=True)
class _Head:
    """What stands in front of a brace."""

    source: SourceText
    gaps: list[tuple[int, int]] = field(default_factory=list)
    """Ranges that are not part of it: it goes on behind the last one's end, up to the brace."""

    def lexemes(self, end: int) -> list[Lexeme]:
        """Return the tokens in front of the brace at `end`."""
        starts = [0, *(gap_end for _, gap_end in self.gaps)]
        ends = [*(gap_start for gap_start, _ in self.gaps), end]

        lexemes: list[Lexeme] = []

        for range_start, range_end in zip(starts, ends, strict=True):
            if range_start < range_end <= end:
                lexemes += self.source.lexemes_between(range_start, range_end)

        return lexemes


def _iter_functions(source: SourceText) -> Iterator[FunctionDefinition]:
    scope_names: list[str] = []
    head = _Head(source)
    body_start = -1
    body_depth = 0

    for mark in find_structure_marks(source):
        if mark.text == DIRECTIVE:
            if not body_depth:
                # an `#endif` may stand between a template head and its function
                head.gaps.append((mark.start, mark.end))

            continue

        # braces within a body are blocks, lambdas and local classes
        if body_depth:
            body_depth += (mark.text == "{") - (mark.text == "}")
            if body_depth == 0:
                yield _make_definition(head, body_start, mark.end, scope_names)
                head = _Head(source, [(0, mark.end)])

            continue

        if mark.text == "{":
            lexemes = head.lexemes(mark.start)
            if _is_function_head(lexemes):
                body_start = mark.start
                body_depth = 1
                continue

            scope_names.append(_read_scope_name(lexemes))
        elif mark.text == "}":
            del scope_names[-1:]

        head = _Head(source, [(0, mark.end)])


def _make_definition(
    head: _Head, body_start: int, end: int, scope_names: Sequence[str]
) -> FunctionDefinition:
    lexemes = head.lexemes(body_start)
    enclosing_names = filter(None, scope_names)

    return FunctionDefinition(
        start=lexemes[0].offset,
        body_start=body_start,
        end=end,
        name="::".join((*enclosing_names, _read_function_name(lexemes))),
    )


def _cut_to_parameter_list(head: Sequence[Lexeme]) -> list[Lexeme]:
    """Return a head up to the first `(` that no attribute opens, without template arguments.

    Of `template <class T> __launch_bounds__(256) void A<T>::f(int x)` these are `template`,
    `__launch_bounds__`, `(`, `void`, `A`, `::`, `f` and `(`.
    """
    outside: list[Lexeme] = []
    angles = 0
    parentheses = 0

    for lexeme in head:
        text = lexeme.text
        angles = max(0, angles + (text == "<") - (text == ">"))

        if text == "(" and not parentheses and not angles:
            opens_attribute = (
                bool(outside) and outside[-1].text in _ATTRIBUTES_WITH_ARGUMENTS
            )
            if not opens_attribute:
                return [*outside, lexeme]

        parentheses += (text == "(") - (text == ")")
        if not angles and not parentheses and text not in (">", ")"):
            outside.append(lexeme)

    return outside


def _is_function_head(head: Sequence[Lexeme]) -> bool:
    outside = _cut_to_parameter_list(head)
    if not outside or outside[-1].text != "(":
        return False

    return not any(
        lexeme.text in _SCOPE_KEYWORDS or lexeme.text == "=" for lexeme in outside
    )


def _read_function_name(head: Sequence[Lexeme]) -> str:
    """Return the name in front of the parameters, with what it is qualified by."""
    name_parts: list[str] = []
    for lexeme in reversed(_cut_to_parameter_list(head)[:-1]):
        # backwards: names and `::` take turns
        is_separator = lexeme.text == "::"
        if not is_separator and name_parts and name_parts[-1] != "::":
            break
        if not is_separator and lexeme.kind is not TokenKind.NAME:
            break

        name_parts.append(lexeme.text)

    return "".join(reversed(name_parts))


def _read_scope_name(head: Sequence[Lexeme]) -> str:
    """Return the name that a scope gives to what stands in it; empty for an anonymous one."""
    words = [lexeme.text for lexeme in _cut_to_parameter_list(head)]
    keyword_indices = [
        index for index, word in enumerate(words) if word in _SCOPE_KEYWORDS
    ]
    if not keyword_indices:
        return ""

    # `class [[nodiscard]] A final : B` is `A`
    name_words = words[keyword_indices[0] + 1 :]
    if ":" in name_words:
        # base classes follow
        name_words = name_words[: name_words.index(":")]

    return "".join(word for word in name_words if word not in _NOT_SCOPE_NAMES)
