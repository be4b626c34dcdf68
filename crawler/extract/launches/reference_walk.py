"""Walk the bodies of a translation unit's functions and record references to kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clang import cindex
from clang.cindex import CursorKind

from crawler.extract.clang import type_printer
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import CursorLocations, cursor_name
from crawler.extract.clang.parse import file_location, path_in_checkout
from crawler.extract.lambdas.lambda_writer import LambdaWriter
from crawler.extract.launches.kernel_use import (
    UNKNOWN_PLACE,
    KernelUse,
    LaunchTextFacts,
    SourcePlace,
)
from crawler.extract.syntax.launch_wrappers import ParameterBindings

MAX_VISITED_NODES: Final = 4_000_000
POINTER_KINDS: Final = {CursorKind.VAR_DECL, CursorKind.FIELD_DECL}
"""What may hold the address of a kernel."""
EnclosingFunction = tuple[str, int]
"""Qualified name of a function, and the offset at which it begins."""
_REFERENCE_KINDS: Final = frozenset(
    kind.value
    for kind in (
        CursorKind.DECL_REF_EXPR,
        CursorKind.OVERLOADED_DECL_REF,
        CursorKind.MEMBER_REF_EXPR,
    )
)
# CXChildVisitResult of libclang
_VISIT_BREAK: Final = 0
_VISIT_RECURSE: Final = 2


@dataclass(frozen=True, slots=True)
class PassedArgument:
    """An argument of a call of a launching function: a kernel, or a parameter of the caller."""

    path: str
    """File of the function that is called."""
    start: int
    end: int
    index: int
    """Which argument of the call it is."""
    argument: Cursor
    call_texts: tuple[str, ...]
    """All arguments of the call, as written."""
    call_place: SourcePlace

    def is_argument_of(self, path: str, offset: int, index: int) -> bool:
        """Tell whether it is passed for the parameter with that index declared at a place."""
        return (
            self.path == path
            and self.start <= offset < self.end
            and self.index == index
        )


@dataclass(frozen=True, slots=True)
class IndirectLaunch:
    """A launch through a parameter or a variable."""

    variable: Cursor
    """The cursor of its declaration."""
    place: SourcePlace
    enclosing: EnclosingFunction
    bindings: ParameterBindings = ()
    """Arguments of the launching function, as written in the function of this parameter."""
    call_place: SourcePlace = UNKNOWN_PLACE


@dataclass(slots=True)
class ReferenceWalk:
    """The state of one walk over a unit, and the uses that it recorded so far."""

    root: Path
    directory: str
    kernel_names: frozenset[str]
    text_facts: LaunchTextFacts
    locations: CursorLocations
    lambdas: LambdaWriter
    definitions: dict[tuple[str, int, str], SourcePlace] = field(default_factory=dict)
    """(path and offset of the name, name) of each declared kernel → where its definition begins."""
    user_names: set[str] = field(default_factory=set)
    """Names of the functions whose text may hold a use."""
    uses: dict[KernelUse, None] = field(default_factory=dict)
    passed_arguments: list[PassedArgument] = field(default_factory=list)
    parameter_launches: list[IndirectLaunch] = field(default_factory=list)
    functions: dict[SourcePlace, Cursor] = field(default_factory=dict)
    """The function round each use of a kernel and each call of a launching function."""
    visited_nodes: int = 0
    _stored_kernels: dict[tuple[int, int], list[Cursor]] = field(default_factory=dict)

    def locate(self, cursor: Cursor) -> SourcePlace:
        """Return where the name of a cursor stands."""
        file_name, offset = file_location(cursor.location)
        path = path_in_checkout(
            file_name,
            self.root,
            self.directory,
        )

        return path or "", offset

    def find_start(self, cursor: Cursor) -> SourcePlace:
        """Return where the text of a cursor begins."""
        start = cursor.extent.start
        if not start.file:
            return "", start.offset

        path = path_in_checkout(
            start.file.name,
            self.root,
            self.directory,
        )

        return path or "", start.offset

    def collect_references(self, scope: Cursor) -> list[Cursor]:
        """Return all that refers to a declaration below a cursor.

        One native visit: bodies have many thousand nodes.
        """
        # each cursor object of the Python binding costs more than libclang needs to find it
        references: list[Cursor] = []
        unit = scope._tu

        def visit(child: Cursor, _parent: Cursor, _data: object) -> int:
            self.visited_nodes += 1
            if child._kind_id in _REFERENCE_KINDS:
                # the binding keeps a unit alive by this
                child._tu = unit
                references.append(child)

            if self.visited_nodes < MAX_VISITED_NODES:
                return _VISIT_RECURSE

            return _VISIT_BREAK

        callback = cindex.callbacks["cursor_visit"](visit)
        cindex.conf.lib.clang_visitChildren(scope, callback, None)

        return references

    def record_function(self, place: SourcePlace, function: Cursor) -> None:
        """Note the function round a place: a template only where nothing instantiates it."""
        known_function = self.functions.get(place)
        if (
            known_function is None
            or known_function.kind is CursorKind.FUNCTION_TEMPLATE
        ):
            self.functions[place] = function

    def find_stored_kernels(self, scope: Cursor, depth: int) -> list[Cursor]:
        """Return the references to kernels below a cursor, and in the functions called there."""
        key = (scope.hash, depth)
        # many launches share a table of kernels
        if key in self._stored_kernels:
            return self._stored_kernels[key]

        # entered before it is filled, since functions may call each other
        kernels: list[Cursor] = []
        self._stored_kernels[key] = kernels
        for cursor in self.collect_references(scope):
            name = cursor_name(cursor)
            if name in self.kernel_names:
                kernels.append(cursor)
            elif depth and name in self.user_names:
                function = cursor.referenced
                if function is not None and function.kind is CursorKind.FUNCTION_DECL:
                    body = function.get_definition() or function
                    kernels += self.find_stored_kernels(body, depth - 1)

        return kernels

    def record_reference(
        self,
        cursor: Cursor,
        enclosing: EnclosingFunction,
        launch: IndirectLaunch | None = None,
    ) -> None:
        """Record the use that a reference is, where it means a kernel of the unit."""
        function = cursor.referenced
        if function is not None and function.kind is CursorKind.OVERLOADED_DECL_REF:
            function = _find_only_overload(function)

        if function is None:
            return
        if (*self.locate(function), function.spelling) not in self.definitions:
            return

        place = launch.place if launch else self.locate(cursor)
        self.record_use(
            function,
            place,
            enclosing,
            launch,
        )

    def record_use(
        self,
        function: Cursor,
        place: SourcePlace,
        enclosing: EnclosingFunction,
        launch: IndirectLaunch | None = None,
    ) -> None:
        """Record that a kernel, or a specialisation of one, is used at a place."""
        # a primary template is named where nothing instantiates the code around it
        arguments: tuple[str, ...] | None = ()
        if function.kind is not CursorKind.FUNCTION_TEMPLATE:
            arguments = self.lambdas.print_arguments(function)

        key = (*self.locate(function), function.spelling)
        path, offset = place
        enclosing_function, enclosing_start = enclosing

        use = KernelUse(
            kernel=function.spelling,
            target=self.definitions.get(key, UNKNOWN_PLACE),
            template_arguments=arguments or (),
            symbol=self._find_symbol(function, arguments or ()),
            path=path,
            offset=offset,
            enclosing_function=enclosing_function,
            enclosing_start=enclosing_start,
            bindings=launch.bindings if launch else (),
            call_place=launch.call_place if launch else UNKNOWN_PLACE,
        )

        self.uses[use] = None

    def _find_symbol(self, function: Cursor, arguments: tuple[str, ...]) -> str:
        """Return the symbol of a specialisation; empty where a class stands for a lambda in it."""
        if not arguments or self.lambdas.has_lambda(arguments):
            return ""

        return type_printer.device_symbol(function)


def _find_only_overload(overloaded: Cursor) -> Cursor | None:
    """Return what an overloaded name means where there is but one candidate, else `None`."""
    library = cindex.conf.lib
    if library.clang_getNumOverloadedDecls(overloaded) != 1:
        return None

    candidate: Cursor | None = library.clang_getOverloadedDecl(overloaded, 0)
    return candidate
