"""Find the definitions of a project that a launch, and what computes it, name."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.identifier_uses import Identifier, collect_text_identifiers
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.cursor_kinds import TYPE_KINDS
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.closure_members import is_using_directive
from crawler.extract.closure.context.declaration_identifiers import (
    collect_declaration_identifiers,
    expand_macros,
)
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.declaration_text import (
    find_using_directives,
    is_foreign_directive,
)
from crawler.extract.launches.setup.launch_setup import LaunchSetup
from crawler.model import Launch

_MAX_BYTES: Final = 48 << 10
"""Of one launch; functions and classes behind that are declared only."""
_SMALL: Final = 200
"""Characters of what is taken whole in any case."""
_MEMBER_DISTANCE: Final = 100
"""Steps that the definition of a member outside of its class counts for."""
_MAX_DECLARATIONS: Final = 200


class LaunchDefinitions:
    """The definitions that launches of one translation unit rest on."""

    def __init__(
        self,
        contexts: Sequence[UnitContext],
        has_launch: Callable[[str, int, int], bool],
    ) -> None:
        self._contexts = contexts
        self._has_launch = has_launch
        self._declarations: dict[tuple[int, str], list[Declaration]] = {}
        self._texts: dict[tuple[Declaration, frozenset[Identifier]], str] = {}

    def find(self, launch: Launch, setup: LaunchSetup) -> str:
        """Return the definitions in the order in which the compiler reads them."""
        context, referrer = self._find_referrer(launch)
        if context is None or referrer is None:
            return ""

        identifiers = frozenset(_iter_open_identifiers(launch, setup))
        key = (referrer, identifiers)
        # the launches of one function name the same
        if key not in self._texts:
            walk = _Walk(context, self._has_launch)
            walk.follow(identifiers, referrer)
            self._texts[key] = walk.render(referrer)

        return self._texts[key]

    def _find_referrer(
        self, launch: Launch
    ) -> tuple[UnitContext | None, Declaration | None]:
        """Return the outermost declaration round a launch, and the context that has it."""
        span = launch.span
        for context in self._contexts:
            for declaration in self._list_declarations(context, span.path):
                if declaration.start <= span.offset < declaration.end:
                    return context, declaration

        return None, None

    def _list_declarations(self, context: UnitContext, path: str) -> list[Declaration]:
        key = (id(context), path)
        if key not in self._declarations:
            self._declarations[key] = [
                declaration
                for declaration in context.declarations
                if declaration.path == path
            ]

        return self._declarations[key]


def _iter_open_identifiers(launch: Launch, setup: LaunchSetup) -> set[Identifier]:
    """Return what a launch names that no function round it declares."""
    texts = [
        *setup.statements,
        *setup.conditions,
        *(variable.type for variable in setup.inputs),
        launch.grid,
        launch.block,
        launch.shared_bytes,
        launch.stream,
        launch.callee.partition("<")[2],
        *(argument for _, argument in launch.argument_map),
    ]
    return {
        identifier
        for text in texts
        for identifier in collect_text_identifiers(text)
        if identifier.qualifier
        or identifier.is_member
        or identifier.name in setup.open_names
    }


@dataclass(slots=True)
class _Walk:
    """A walk over what definitions name, the nearest first."""

    context: UnitContext
    has_launch: Callable[[str, int, int], bool]
    macros: dict[tuple[str, int], Macro] = field(default_factory=dict)
    texts: dict[int, tuple[Declaration, str]] = field(default_factory=dict)
    """By the position of the declaration in the unit."""
    _pending: list[tuple[int, int, int, Declaration]] = field(default_factory=list)
    """By steps from the launch, then by size: aliases and constants before classes."""
    _cut_classes: set[str] = field(default_factory=set)
    """Names of classes that are declared only: their members cannot be defined."""
    _size: int = 0

    def follow(
        self, identifiers: Collection[Identifier], referrer: Declaration
    ) -> None:
        """Take the definitions that identifiers in a declaration mean, and what those name."""
        self._take(identifiers, referrer, depth=0)
        while self._pending and len(self.texts) < _MAX_DECLARATIONS:
            depth, _, position, declaration = heapq.heappop(self._pending)
            if declaration is referrer or position in self.texts:
                continue

            end = self._find_end(declaration)
            if end is None:
                continue
            if declaration.kind == "type" and end < declaration.end:
                self._cut_classes.add(declaration.cursor.spelling)

            source = declaration.source
            text = source.text_between(declaration.start, end).rstrip()
            self._size += len(text)
            self.texts[position] = (declaration, _terminate(text, declaration, end))
            edits = [(end, declaration.end, "")] if end < declaration.end else []
            named = collect_declaration_identifiers(
                declaration, source, edits, self.context.macros
            )
            self._take(named, declaration, depth + 1)

    def render(self, referrer: Declaration) -> str:
        """Return macros in front, since no declaration has to wait for them."""
        macros = sorted(
            self.macros.values(),
            key=lambda macro: (
                self.context.file_order.get(macro.path, 0),
                macro.name_offset,
            ),
        )
        lines = [macro.text.strip() for macro in macros]
        whole = _drop_nested([declaration for declaration, _ in self.texts.values()])
        texts = {
            position: (declaration, text)
            for position, (declaration, text) in self.texts.items()
            if declaration in whole
            and _get_owner_name(declaration) not in self._cut_classes
        }
        for directive in self._list_using_directives([*whole, referrer]):
            position = self.context.declaration_order[id(directive)]
            text = directive.source.text_between(directive.start, directive.end)
            texts[position] = (directive, text if text.endswith(";") else f"{text};")

        for _, (declaration, text) in sorted(texts.items(), key=lambda entry: entry[0]):
            lines += declaration.scope_openings
            lines.append(text)
            lines += ["}"] * len(declaration.scope_openings)

        return "\n".join(lines).replace("\r\n", "\n")

    def _list_using_directives(
        self, declarations: list[Declaration]
    ) -> list[Declaration]:
        """Return those that open what declarations lean on, and those of libraries' namespaces."""
        directives = find_using_directives(declarations, self.context)
        directives += [
            declaration
            for declaration in self.context.declarations
            if is_using_directive(declaration)
            and is_foreign_directive(declaration, self.context)
        ]
        return list({id(directive): directive for directive in directives}.values())

    def _take(
        self, identifiers: Collection[Identifier], referrer: Declaration, depth: int
    ) -> None:
        names = {identifier.name for identifier in identifiers}
        macros, macro_identifiers = expand_macros(names, self.context.macros)
        for macro in macros:
            self.macros[(macro.path, macro.name_offset)] = macro

        for identifier in dict.fromkeys((*identifiers, *macro_identifiers)):
            for declaration in self.context.scopes.resolve_identifier(
                identifier, referrer
            ):
                is_useful = declaration.kind != "assertion"
                position = self.context.declaration_order[id(declaration)]
                is_new = position not in self.texts
                if is_useful and is_new and not is_using_directive(declaration):
                    size = declaration.end - declaration.start
                    # what members do comes last: their class says what they are
                    is_member = bool(_get_owner_name(declaration))
                    distance = depth + _MEMBER_DISTANCE * is_member
                    entry = (distance, size, position, declaration)
                    heapq.heappush(self._pending, entry)

    def _find_end(self, declaration: Declaration) -> int | None:
        """Return where what is taken of a declaration ends; `None` where it cannot be taken.

        A function that launches, a kernel, and what is too much has its head alone.
        """
        is_function = declaration.kind in ("function", "kernel")
        size = declaration.end - declaration.start
        is_too_large = size > _SMALL and self._size + size > _MAX_BYTES
        is_launcher = is_function and (
            declaration.kind == "kernel"
            or self.has_launch(declaration.path, declaration.start, declaration.end)
        )
        if not is_too_large and not is_launcher:
            return declaration.end

        source = declaration.source
        opening = _find_body(declaration, source)
        # a member cannot be declared outside of its class
        if _get_owner_name(declaration):
            return None
        is_class = declaration.kind == "type"
        if declaration.cursor.kind is CursorKind.ENUM_DECL:
            return declaration.end
        if is_class and source.raw.startswith("typedef", declaration.start):
            return None
        return opening if is_class or is_function else declaration.end


def _drop_nested(declarations: Sequence[Declaration]) -> list[Declaration]:
    """Drop what stands inside another: `typedef enum { RED } Colour;` shows as two."""
    return [
        declaration
        for declaration in declarations
        if not any(
            other is not declaration
            and other.path == declaration.path
            and other.start <= declaration.start
            and declaration.end <= other.end
            for other in declarations
        )
    ]


def _get_owner_name(declaration: Declaration) -> str:
    """Return the class of a member that is defined outside of it; empty for anything else."""
    parent = declaration.cursor.semantic_parent
    if declaration.kind != "function" or parent is None:
        return ""
    return parent.spelling if parent.kind in TYPE_KINDS else ""


def _find_body(declaration: Declaration, source: SourceText) -> int:
    """Return where the head of a function or a class ends."""
    if declaration.kind == "type":
        lexemes = source.lexemes_between(declaration.start, declaration.end)
        marks = (lexeme for lexeme in lexemes if lexeme.text in ("{", ":"))
        return next((mark.offset for mark in marks), declaration.end)

    for function in find_functions(source):
        if declaration.start <= function.body_start < declaration.end:
            return function.body_start

    return declaration.end


def _terminate(text: str, declaration: Declaration, end: int) -> str:
    """Return a declaration with the semicolon that clang, or leaving out a body, drops."""
    is_function = declaration.kind in ("function", "kernel")
    is_whole_function = is_function and end == declaration.end and text.endswith("}")
    return text if text.endswith(";") or is_whole_function else f"{text};"
