"""Find kernel definitions by syntax alone, tolerant of errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tree_sitter import Node

from crawler.cpp.brackets import skip_angles_backwards
from crawler.cpp.files.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.dead_branches import is_in_dead_branch
from crawler.cpp.syntax import function_declarator, function_definitions, parse

_ATTRIBUTES_WITH_ARGUMENTS: Final = frozenset(
    {
        "__launch_bounds__",
        "__cluster_dims__",
        "__attribute__",
        "__maxnreg__",
        "__block_size__",
        "alignas",
        "noexcept",
    }
)
_DIRECTIVES_ENDING_HEAD: Final = frozenset({"define", "undef", "include"})
"""Directives that stand in no head; conditionals may."""
_ACCESS_SPECIFIERS: Final = ("public", "private", "protected")
_MAX_HEAD_TOKENS: Final = 400
_MAX_DEFINITION_CHARACTERS: Final = 64 << 20
_TREE_SECONDS: Final = 3.0
"""Of CPU; a real file of 100 KB takes 0.05."""
_TREE_SECONDS_PER_BYTE: Final = 4e-6


@dataclass(frozen=True, slots=True)
class KernelDefinition:
    """A kernel definition as it stands in a file."""

    name: str
    start: int
    """Where its declaration begins, the template head included."""
    end: int
    body_start: int
    """Offset of its `{`."""
    parameter_range: tuple[int, int]
    """Range between the parentheses of its parameter list."""
    is_in_macro: bool = False


class _Head(NamedTuple):
    """Positions of tokens in a kernel's head."""

    name: int
    parameters_opening: int
    parameters_closing: int
    body_opening: int


@cache_per_source
def find_kernel_definitions(
    source: SourceText, kernel_markers: frozenset[str] = frozenset({"__global__"})
) -> tuple[KernelDefinition, ...]:
    """Return the kernel definitions of a file, literal `#if 0` aside.

    `kernel_markers` are what marks one there: `__global__`, or a macro that stands for it.
    """
    if not any(marker in source.raw for marker in kernel_markers):
        return ()

    definitions = {
        # a body may have several heads, one in each branch of an `#if`
        (definition.name, definition.body_start): definition
        for definition in _find_by_tokens(source, kernel_markers)
    }
    # the tree finds kernels whose heads the tokens do not tell
    body_starts = {definition.body_start for definition in definitions.values()}

    for definition in _find_by_tree(source):
        if definition.body_start not in body_starts:
            definitions[(definition.name, definition.body_start)] = definition

    compiled = [
        definition
        for definition in definitions.values()
        if not is_in_dead_branch(source, definition.body_start)
    ]
    compiled.sort(key=lambda definition: definition.start)
    return tuple(_limit_text(compiled))


def _limit_text(definitions: Iterable[KernelDefinition]) -> Iterator[KernelDefinition]:
    """Yield definitions while their texts are not too much.

    Of bodies that are never closed each holds all that follows.
    """
    remaining_characters = _MAX_DEFINITION_CHARACTERS
    for definition in definitions:
        remaining_characters -= definition.end - definition.start
        if remaining_characters < 0:
            return
        yield definition


def find_declaration_start(lexemes: Sequence[Lexeme], lexeme_index: int) -> int:
    """Return the position of the first token of a token's declaration."""
    directive = lexemes[lexeme_index].directive
    first_index = max(0, lexeme_index - _MAX_HEAD_TOKENS)
    start = lexeme_index
    index = lexeme_index

    while index > first_index:
        index -= 1
        lexeme = lexemes[index]

        if lexeme.directive != directive:
            if directive or lexeme.directive in _DIRECTIVES_ENDING_HEAD:
                break
            # an `#if` in the middle of a head
            continue

        if lexeme.text in (";", "}", "{"):
            break
        if lexeme.text == ":" and lexemes[index - 1].text in _ACCESS_SPECIFIERS:
            break
        start = index

    return start


def _find_by_tokens(
    source: SourceText, markers: frozenset[str]
) -> Iterator[KernelDefinition]:
    lexemes = source.lexemes
    for index, lexeme in enumerate(lexemes):
        if lexeme.text not in markers or lexeme.directive not in ("", "define"):
            continue

        marker_end = index
        # a marker is `__global__`, or a macro that stands for it
        has_arguments = index + 1 < len(lexemes) and lexemes[index + 1].text == "("

        if has_arguments and lexeme.text != "__global__":
            # a macro with arguments of its own, such as one that sets the launch bounds too
            closing = source.find_closing_bracket(index + 1)
            marker_end = closing if closing > 0 else index

        head = _read_head(source, marker_end)
        if head is not None:
            yield _make_definition(source, index, head)


def _read_head(source: SourceText, marker_index: int) -> _Head | None:
    """Return the positions of what a kernel's head holds behind its marker."""
    lexemes = source.lexemes
    directive = lexemes[marker_index].directive
    name = -1
    opening = -1

    position = marker_index + 1
    last = min(len(lexemes), marker_index + _MAX_HEAD_TOKENS)

    while position < last:
        lexeme = lexemes[position]
        if lexeme.directive != directive:
            if directive:
                # the macro ends before a body begins
                return None

            position += 1
            continue

        if lexeme.text in (";", "}"):
            return None
        if lexeme.text == "{":
            return _make_head(source, name, opening, position)

        if lexeme.text == "(":
            if opening < 0:
                name_index = _find_name_before(lexemes, position)
                if name_index is not None and not _is_attribute_macro(source, position):
                    name = name_index
                    opening = position

            position = source.find_closing_bracket(position)
            if position < 0:
                return None

        position += 1

    return None


def _make_head(
    source: SourceText, name: int, opening: int, body_opening: int
) -> _Head | None:
    """Return a head of these positions; `None` where it has no list that is closed."""
    if opening < 0:
        return None

    closing = source.find_closing_bracket(opening)
    return _Head(name, opening, closing, body_opening) if closing > 0 else None


def _find_name_before(lexemes: Sequence[Lexeme], opening: int) -> int | None:
    """Return the position of the function's name in front of a parenthesis.

    `None` where an attribute opens it.
    """
    before = lexemes[opening - 1]
    if before.kind is TokenKind.NAME:
        is_attribute = before.text in _ATTRIBUTES_WITH_ARGUMENTS
        return None if is_attribute else opening - 1

    if before.text == ">":
        # the arguments of an explicit specialisation
        return skip_angles_backwards(lexemes, opening - 1)

    return None


def _is_attribute_macro(source: SourceText, opening: int) -> bool:
    """Say whether a macro for an attribute opens a parenthesis, as in `void BOUNDS(256) k(int x)`.

    Its name is in capitals, and the function's behind it is not: `void k(int x) BOUNDS(256)`.
    """
    closing = source.find_closing_bracket(opening)
    behind = source.lexemes[closing + 1 : closing + 3]
    if closing < 0 or len(behind) < 2 or behind[1].text not in ("(", "<"):
        return False

    is_name = behind[0].kind is TokenKind.NAME and not behind[0].text.isupper()
    is_function = is_name and behind[0].text not in _ATTRIBUTES_WITH_ARGUMENTS
    return is_function and source.lexemes[opening - 1].text.isupper()


def _make_definition(
    source: SourceText, marker_index: int, head: _Head
) -> KernelDefinition:
    lexemes = source.lexemes
    # a body that is never closed ends with the file
    start_index = find_declaration_start(lexemes, marker_index)
    end_index = source.find_closing_bracket(head.body_opening)
    parameters_start = lexemes[head.parameters_opening].end
    parameters_end = lexemes[head.parameters_closing].offset

    return KernelDefinition(
        name=lexemes[head.name].text,
        start=lexemes[start_index].offset,
        end=lexemes[end_index].end if end_index > 0 else len(source.raw),
        body_start=lexemes[head.body_opening].offset,
        parameter_range=(parameters_start, parameters_end),
        is_in_macro=lexemes[marker_index].directive == "define",
    )


def _find_by_tree(source: SourceText) -> Iterator[KernelDefinition]:
    content = source.raw.encode("latin-1")
    seconds = _TREE_SECONDS + len(content) * _TREE_SECONDS_PER_BYTE
    tree = parse(content, seconds)
    if tree is None:
        return

    for node in function_definitions(tree.root_node):
        definition = _read_node(node)
        if definition is not None:
            yield definition


def _read_node(node: Node) -> KernelDefinition | None:
    """Return the kernel that a function definition is; `None` for other functions."""
    if not any(child.type == "__global__" for child in node.children):
        return None

    body = node.child_by_field_name("body")
    declarator = function_declarator(node)
    if body is None or declarator is None:
        return None

    name_node = declarator.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters")
    if name_node is None or parameters is None or name_node.text is None:
        return None

    # `void A<int>::f<float>()` is known as `f`
    qualified_name = name_node.text.decode("latin-1").split("<")[0]
    outer = node

    if node.parent is not None and node.parent.type == "template_declaration":
        outer = node.parent

    return KernelDefinition(
        name=qualified_name.split("::")[-1].strip(),
        start=outer.start_byte,
        end=node.end_byte,
        body_start=body.start_byte,
        parameter_range=(parameters.start_byte + 1, parameters.end_byte - 1),
    )
