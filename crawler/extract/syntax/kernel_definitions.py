"""Find kernel definitions by syntax alone, tolerant of errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from crawler.cpp.brackets import skip_angles_backwards
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.dead_branches import is_in_dead_branch
from crawler.cpp.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.syntax import function_declarator, function_definitions, parse

_ATTRIBUTES: Final = frozenset(
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
_NOT_IN_A_HEAD: Final = frozenset({"define", "undef", "include"})
_LONGEST_HEAD: Final = 400
_MOST_TEXT: Final = 64 << 20
_TREE_SECONDS: Final = 3.0
"""Of CPU; a real file of 100 KB takes 0.05."""
_TREE_SECONDS_A_BYTE: Final = 4e-6


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


@cache_per_source
def find_kernel_definitions(
    source: SourceText, kernel_markers: frozenset[str] = frozenset({"__global__"})
) -> tuple[KernelDefinition, ...]:
    """Return the kernel definitions of a file, literal `#if 0` aside; `kernel_markers` are what
    marks one there.
    """
    if not any(word in source.raw for word in kernel_markers):
        return ()
    found = {
        definition.name + f"@{definition.body_start}": definition
        for definition in _by_tokens(source, kernel_markers)
    }
    bodies = {definition.body_start for definition in found.values()}
    for definition in _by_tree(source):
        if definition.body_start not in bodies:
            found[f"{definition.name}@{definition.body_start}"] = definition
    alive = (
        definition
        for definition in found.values()
        if not is_in_dead_branch(source, definition.body_start)
    )
    return tuple(_bounded(sorted(alive, key=lambda definition: definition.start)))


def _bounded(found: Sequence[KernelDefinition]) -> Iterator[KernelDefinition]:
    """Yield definitions while their texts are not too much: of bodies that are never closed
    each holds all the rest.
    """
    room = _MOST_TEXT
    for definition in found:
        room -= definition.end - definition.start
        if room < 0:
            return
        yield definition


def find_declaration_start(lexemes: Sequence[Lexeme], lexeme_index: int) -> int:
    """Return the position of the first token of the declaration that token `lexeme_index`
    belongs to.
    """
    directive = lexemes[lexeme_index].directive
    start, last = lexeme_index, max(0, lexeme_index - _LONGEST_HEAD)
    while lexeme_index > last:
        lexeme_index -= 1
        if lexemes[lexeme_index].directive != directive:
            if directive or lexemes[lexeme_index].directive in _NOT_IN_A_HEAD:
                break
            continue
        if lexemes[lexeme_index].text in (";", "}", "{"):
            break
        if lexemes[lexeme_index].text == ":" and lexemes[lexeme_index - 1].text in (
            "public",
            "private",
            "protected",
        ):
            break
        start = lexeme_index
    return start


def _by_tokens(source: SourceText, words: frozenset[str]) -> Iterator[KernelDefinition]:
    lexemes = source.lexemes
    for at, lexeme in enumerate(lexemes):
        if lexeme.text in words and lexeme.directive in ("", "define"):
            # a word with arguments of its own, such as one that sets the launch bounds too
            closed = (
                source.find_closing_bracket(at + 1)
                if lexemes[at + 1 : at + 2] and lexemes[at + 1].text == "("
                else -1
            )
            head = _head(
                source, closed if closed > 0 and lexeme.text != "__global__" else at
            )
            if head:
                yield _definition(source, lexemes, at, *head)


def _head(source: SourceText, at: int) -> tuple[int, int, int, int] | None:
    """Find (name, parameter list's opening and closing, body's opening) behind the word at `at`."""
    lexemes = source.lexemes
    name = opening = -1
    position, last = at + 1, min(len(lexemes), at + _LONGEST_HEAD)
    while position < last:
        text = lexemes[position].text
        if lexemes[position].directive != lexemes[at].directive:
            if lexemes[at].directive:
                return None
            position += 1
            continue
        if text in (";", "}"):
            return None
        if text == "{":
            closed = source.find_closing_bracket(opening) if opening >= 0 else -1
            return (name, opening, closed, position) if closed > 0 else None
        if text == "(":
            before = lexemes[position - 1]
            if (
                before.kind is TokenKind.NAME
                and before.text not in _ATTRIBUTES
                and opening < 0
            ):
                name, opening = position - 1, position
            elif before.text == ">" and opening < 0:
                name, opening = skip_angles_backwards(lexemes, position - 1), position
            position = source.find_closing_bracket(position)
            if position < 0:
                return None
        position += 1
    return None


def _definition(
    source: SourceText,
    lexemes: Sequence[Lexeme],
    word: int,
    name: int,
    opening: int,
    closed: int,
    body: int,
) -> KernelDefinition:
    end = source.find_closing_bracket(body)
    return KernelDefinition(
        name=lexemes[name].text,
        start=lexemes[find_declaration_start(lexemes, word)].offset,
        end=lexemes[end].end if end > 0 else len(source.raw),
        body_start=lexemes[body].offset,
        parameter_range=(lexemes[opening].end, lexemes[closed].offset),
        is_in_macro=lexemes[word].directive == "define",
    )


def _by_tree(source: SourceText) -> Iterator[KernelDefinition]:
    content = source.raw.encode("latin-1")
    tree = parse(content, _TREE_SECONDS + len(content) * _TREE_SECONDS_A_BYTE)
    for node in function_definitions(tree.root_node) if tree else ():
        definition = _from_node(node)
        if definition:
            yield definition


def _from_node(node: Node) -> KernelDefinition | None:
    body = node.child_by_field_name("body")
    declarator = function_declarator(node)
    if (
        body is None
        or declarator is None
        or not any(child.type == "__global__" for child in node.children)
    ):
        return None
    name, parameters = (
        declarator.child_by_field_name("declarator"),
        declarator.child_by_field_name("parameters"),
    )
    if name is None or parameters is None or name.text is None:
        return None
    outer = (
        node.parent
        if node.parent is not None and node.parent.type == "template_declaration"
        else node
    )
    return KernelDefinition(
        name=name.text.decode("latin-1").split("<")[0].split("::")[-1].strip(),
        start=outer.start_byte,
        end=node.end_byte,
        body_start=body.start_byte,
        parameter_range=(parameters.start_byte + 1, parameters.end_byte - 1),
    )
