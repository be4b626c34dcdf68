"""Give the lambdas of a translation unit names, by classes that stand for them.

A lambda is an object of a class without a name, which holds what it has captured and is called
(C++, [expr.prim.lambda.closure]). A kernel that is launched with one is instantiated with that
class; written down, with the types that the compiler resolved, it is as good as any functor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from crawler.cpp.files.identifier_uses import collect_text_identifiers
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.extract.clang.cursor import ClangType, Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.namespaces import read_semantic_namespaces
from crawler.extract.clang.parse import file_location, path_in_checkout
from crawler.extract.clang.template_bindings import list_bindings
from crawler.extract.clang.type_printer import (
    UNNAMEABLE_TYPE_PATTERN,
    print_qualified_type,
    print_unchecked_arguments,
)
from crawler.extract.lambdas.call_operator import find_call_operator, render_head
from crawler.extract.lambdas.lambda_declaration import LambdaDeclaration
from crawler.extract.lambdas.lambda_types import (
    LAMBDA_TEXT,
    iter_lambda_classes,
    iter_type_arguments,
)
from crawler.extract.lambdas.outer_names import (
    UnwritableLambda,
    bind_template_parameters,
    list_members,
)

_MAX_LAMBDAS: Final = 96
"""Lambdas of one unit that are written down."""


class LambdaWriter:
    """Writes the lambdas of one translation unit that its kernels are launched with."""

    def __init__(
        self,
        root: Path,
        directory: str,
        sources: SourceFiles,
        declarations: Sequence[Declaration],
    ) -> None:
        self._root = root
        self._directory = directory
        self._sources = sources
        self._declarations = declarations
        # by the hash of a lambda's class; `None` while it is written, and where it cannot be
        self._written: dict[int, LambdaDeclaration | None] = {}

    def list_names(self) -> frozenset[str]:
        """Return the names of the classes that were written."""
        return frozenset(
            written.names[0] for written in self._written.values() if written
        )

    def print_arguments(self, specialisation: Cursor) -> tuple[str, ...] | None:
        """Return a function specialisation's template arguments, its lambdas by their names.

        `None` where they cannot be written.
        """
        arguments = print_unchecked_arguments(specialisation)
        if arguments is None:
            return None

        types = iter_type_arguments(specialisation)
        named = tuple(self._name_lambdas(arguments, types))
        return named if _can_be_written(named) else None

    def has_lambda(self, arguments: Iterable[str]) -> bool:
        """Tell whether printed arguments name the class of a lambda."""
        names = self.list_names()
        return any(name in argument for name in names for argument in arguments)

    def insert_into(self, declarations: Sequence[Declaration]) -> list[Declaration]:
        """Return declarations with each class behind the function that its lambda stands in, and
        behind the classes that it holds.
        """
        written = [
            lambda_class for lambda_class in self._written.values() if lambda_class
        ]
        if not written:
            return list(declarations)

        positions = {
            id(declaration): position
            for position, declaration in enumerate(declarations)
        }
        # a class is written behind those that it holds
        for lambda_class in written:
            required = (lambda_class.enclosing, *lambda_class.required)
            positions[id(lambda_class)] = max(
                positions[id(declaration)] for declaration in required
            )

        # of those at one position the order stays, as sorting is stable
        return sorted(
            (*declarations, *written),
            key=lambda declaration: positions[id(declaration)],
        )

    def _name_lambdas(
        self, texts: Sequence[str], types: Iterable[ClangType]
    ) -> list[str]:
        """Return texts with the lambdas of types in them by their names, where they have one."""
        if not any(map(LAMBDA_TEXT.search, texts)):
            return list(texts)

        classes: dict[str, dict[int, Cursor]] = {}
        for clang_type in types:
            for lambda_class in iter_lambda_classes(clang_type):
                same_text = classes.setdefault(lambda_class.spelling, {})
                same_text[lambda_class.hash] = lambda_class

        names: dict[str, str] = {}
        for text, same_text in classes.items():
            # of two instantiations of a function the lambdas are printed alike
            if len(same_text) == 1:
                written = self._get_written(*same_text.values())
                if written:
                    names[text] = "::".join((*written.namespaces, *written.names))

        return [
            LAMBDA_TEXT.sub(lambda match: names.get(match[0], match[0]), text)
            for text in texts
        ]

    def _spell_type(self, clang_type: ClangType) -> str | None:
        (spelled,) = self._name_lambdas(
            [print_qualified_type(clang_type)], [clang_type]
        )
        return spelled if _can_be_written([spelled]) else None

    def _get_written(self, lambda_class: Cursor) -> LambdaDeclaration | None:
        key = lambda_class.hash
        if key in self._written or len(self._written) >= _MAX_LAMBDAS:
            return self._written.get(key)

        # nothing that it holds can be itself
        self._written[key] = None
        try:
            written = self._write(lambda_class)
        except UnwritableLambda:
            return None

        # behind those that it holds
        del self._written[key]
        self._written[key] = written
        return written

    def _write(self, lambda_class: Cursor) -> LambdaDeclaration:
        operator = find_call_operator(lambda_class, self._read_source)
        function = _find_function(lambda_class)
        if operator is None or function is None:
            raise UnwritableLambda("a macro makes its body, or it is of a library")

        source = operator.source
        path = source.path
        enclosing = self._find_enclosing(path, operator.body_start)
        if enclosing is None:
            raise UnwritableLambda("the function round it is not of the project")

        lines = [
            *self._bind_parameters(function, operator.body),
            *list_members(lambda_class, operator, self._spell_type),
        ]
        head = render_head(operator.cursor, self._spell_type)
        if head is None:
            raise UnwritableLambda("a parameter's type has no name")

        front = "".join(f"  {line}\n" for line in lines) + f"  {head} "
        content = front.encode() + operator.body.encode("latin-1")
        name = _make_name(function, path, operator.body_start, content)
        namespaces = read_semantic_namespaces(function)
        openings = enclosing.scope_openings
        if namespaces != enclosing.namespaces:
            openings = tuple(f"namespace {word} {{" for word in namespaces)

        text = f"struct {name} {{\n".encode() + content + b"\n};"
        place = file_location(lambda_class.location)
        start = place[1] if place[0] == operator.file_name else operator.body_start
        start = min(start, operator.body_start)

        return LambdaDeclaration(
            path=path,
            source=SourceText(path, text),
            names=(name,),
            kind="type",
            scope_openings=openings,
            namespaces=namespaces,
            cursor=function,
            lambda_span=source.make_span(start, operator.body_end),
            enclosing=enclosing,
            required=self._find_held(lambda_class),
        )

    def _read_source(self, file_name: str) -> SourceText | None:
        path = path_in_checkout(file_name, self._root, self._directory)
        return self._sources[path] if path else None

    def _bind_parameters(self, function: Cursor, body: str) -> list[str]:
        arguments = self.print_arguments(function)
        names = {identifier.name for identifier in collect_text_identifiers(body)}
        bindings = list_bindings(function, arguments or ())
        if any(cursor.spelling in names and not text for cursor, text in bindings):
            raise UnwritableLambda("an argument of the template round it has no name")

        return bind_template_parameters(names, bindings)

    def _find_held(self, lambda_class: Cursor) -> tuple[LambdaDeclaration, ...]:
        """Return the classes of the lambdas that one has captured."""
        held_lambdas = [
            self._written.get(inner.hash)
            for capture in lambda_class.type.get_canonical().get_fields()
            for inner in iter_lambda_classes(capture.type)
        ]
        return tuple(written for written in held_lambdas if written)

    def _find_enclosing(self, path: str, offset: int) -> Declaration | None:
        """Return the innermost declaration that a place lies in."""
        enclosing = [
            declaration
            for declaration in self._declarations
            if declaration.path == path
            and declaration.start <= offset < declaration.end
        ]
        return max(enclosing, key=lambda declaration: declaration.start, default=None)


def _find_function(lambda_class: Cursor) -> Cursor | None:
    """Return the function that a lambda stands in: not the lambda round it."""
    function: Cursor | None = None
    scope = lambda_class.semantic_parent
    while scope is not None and scope.kind in FUNCTION_KINDS:
        function = scope
        owner = scope.semantic_parent
        if owner is None or not owner.spelling.startswith("(lambda"):
            break
        scope = owner.semantic_parent

    return function


def _make_name(function: Cursor, path: str, offset: int, content: bytes) -> str:
    """Return a name that no other lambda of the project has."""
    place = f"{path}:{offset}:".encode("utf-8", "replace")
    digest = hashlib.sha256(place + content).hexdigest()[:8]
    stem = function.spelling if function.spelling.isidentifier() else "function"
    return f"{stem}_lambda_{digest}"


def _can_be_written(texts: Iterable[str]) -> bool:
    return not any(map(UNNAMEABLE_TYPE_PATTERN.search, texts))
