"""Find which kernel specialisations a translation unit uses, and where.

libclang shows the bodies of templates as the compiler instantiated them, when it is told to
leave out what comes from
a precompiled header: every reference to a kernel then carries its resolved template arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from crawler.extract.clang import type_printer
from crawler.extract.clang.cursor_locations import CursorLocations, child_cursors
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.parse import file_location, path_in_checkout
from crawler.extract.clang.scoped_cursors import ScopedCursor
from crawler.extract.syntax.launch_wrappers import (
    LaunchWrappers,
    ParameterBindings,
    pair_parameters,
    rebind_to_caller,
)

_FUNCTIONS: Final = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
    CursorKind.VAR_DECL,
}
_SCOPES: Final = {
    CursorKind.UNEXPOSED_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}
_REFERENCES: Final = frozenset(
    kind.value
    for kind in (
        CursorKind.DECL_REF_EXPR,
        CursorKind.OVERLOADED_DECL_REF,
        CursorKind.MEMBER_REF_EXPR,
    )
)
_POINTERS: Final = {CursorKind.VAR_DECL, CursorKind.FIELD_DECL}
_BREAK, _RECURSE = 0, 2
_DEEPEST: Final = 2
_MOST_NODES: Final = 4_000_000
SourcePlace = tuple[str, int]
UNKNOWN_PLACE: Final[SourcePlace] = ("", -1)
_Enclosing = tuple[str, int]


@dataclass(frozen=True, slots=True)
class KernelUse:
    """A reference to a kernel, its template arguments resolved as far as the compiler did."""

    kernel: str
    target: SourcePlace
    """Path and offset of the definition; `NOWHERE` when the unit does not show it."""
    template_arguments: tuple[str, ...]
    """Empty for a plain kernel, and inside a template that nobody instantiates."""
    symbol: str
    path: str
    offset: int
    """Where the kernel's name stands, in the file where it was written; an empty path for a
    bare instantiation.
    """
    enclosing_function: str
    enclosing_start: int
    """Offset at which the enclosing function begins; -1 where there is none."""
    bindings: ParameterBindings = ()
    """Where that function launches what it is given: what its parameters are called with."""
    call_place: SourcePlace = UNKNOWN_PLACE
    """Where it is called so."""


@dataclass(frozen=True, slots=True)
class UseHints:
    """What the text of a unit's files says of uses."""

    launched_names: frozenset[str]
    """Names that launches are written with."""
    is_launched: Callable[[str, int, str], bool]
    """By path, offset and name: whether a launch begins there."""
    may_contain_use: Callable[[str | None, int, int, str], bool]
    """By path, range and name of a function or a class: whether it may hold a use of another."""
    launch_wrappers: LaunchWrappers
    """The functions that launch what they are given."""


@dataclass(slots=True)
class _Walk:
    root: Path
    directory: str
    kernels: dict[tuple[str, int, str], SourcePlace]
    """(path and offset of the name, name) of each declared kernel → where its definition begins."""
    names: frozenset[str]
    text: UseHints
    places: CursorLocations
    users: set[str] = field(default_factory=set)
    """Names of the functions whose text may hold a use."""
    stored: dict[tuple[int, int], list[Any]] = field(default_factory=dict)
    uses: dict[KernelUse, None] = field(default_factory=dict)
    given: list[_Given] = field(default_factory=list)
    """What functions that launch a parameter are called with."""
    wanted: list[_Wanted] = field(default_factory=list)
    """The launches of parameters."""
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument that is a kernel, or a parameter of the caller, in a call of the function at
    `path`.
    """

    path: str
    start: int
    end: int
    index: int
    argument: Any
    texts: tuple[str, ...]
    """All arguments of the call, as written."""
    at: SourcePlace


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A launch of a parameter."""

    parameter: Any
    at: SourcePlace
    enclosing: _Enclosing
    given: ParameterBindings = ()
    """What the launching function is called with, as written in the function of this parameter."""
    called: SourcePlace = UNKNOWN_PLACE


def find_kernel_uses(
    scoped_cursors: Iterable[ScopedCursor],
    kernels: Sequence[Declaration],
    root: Path,
    directory: str,
    hints: UseHints,
) -> Collection[KernelUse]:
    """Return every use of a kernel by what a unit holds at namespace level."""
    names = frozenset(name for kernel in kernels for name in kernel.names)
    walk = _Walk(root, directory, {}, names, hints, CursorLocations(root, directory))
    for kernel in kernels:
        defined = kernel.cursor.get_definition()
        place = _begins(defined, walk) if defined is not None else UNKNOWN_PLACE
        walk.kernels[(*_located(kernel.cursor, walk), kernel.cursor.spelling)] = place
    functions = list(_functions((one.cursor for one in scoped_cursors), walk))
    users = [function for function in functions if _may_use(function, walk)]
    walk.users = {function.spelling for function in users}
    for function in functions:
        if (
            type_printer.cursor_name(function) in walk.names
            and function.get_num_template_arguments() >= 0
        ):
            _note(function, walk, UNKNOWN_PLACE, UNKNOWN_PLACE)
    for function in users:
        if walk.nodes < _MOST_NODES:
            _walk_body(function, _enclosing(function), walk)
    _join_given(walk)
    return walk.uses


def _functions(cursors: Iterable[Any], walk: _Walk) -> Iterator[Any]:
    """Yield the functions among cursors, and those in the classes that may hold a use."""
    for cursor in cursors:
        if cursor.kind in _FUNCTIONS:
            yield cursor
        elif cursor.kind in _SCOPES and walk.text.may_contain_use(
            *walk.places.extent(cursor), ""
        ):
            yield from _functions(child_cursors(cursor), walk)


def _walk_body(function: Any, enclosing: _Enclosing, walk: _Walk) -> None:
    below = collect_references(function, walk)
    for cursor in below:
        name = type_printer.cursor_name(cursor)
        if name in walk.names:
            _note_reference(cursor, enclosing, walk)
        elif name in walk.text.launched_names:
            _note_pointer(cursor, function, enclosing, walk)
        if name in walk.text.launch_wrappers.names:
            _note_given(cursor, below, walk)


def _note_given(cursor: Any, below: Sequence[Any], walk: _Walk) -> None:
    """Note which kernels, and which parameters of the caller, a function that launches a
    parameter is called with.
    """
    at, called = _located(cursor, walk), cursor.referenced
    ranges = walk.text.launch_wrappers.call_argument_ranges(*at)
    if not ranges or called is None or called.location.file is None:
        return
    called = called.get_definition() or called
    path, start = _begins(called, walk)
    texts = walk.text.launch_wrappers.call_argument_texts(*at)
    for argument in below:
        place, offset = _located(argument, walk)
        if place != at[0]:
            continue
        for index, (first, last) in enumerate(ranges):
            if first <= offset < last:
                walk.given.append(
                    _Given(
                        path,
                        start,
                        called.extent.end.offset,
                        index,
                        argument,
                        texts,
                        at,
                    )
                )


def _join_given(walk: _Walk) -> None:
    """Give the launches of parameters the kernels that callers pass, through as many calls as
    it takes.
    """
    seen: set[tuple[SourcePlace, SourcePlace]] = set()
    for wanted in walk.wanted:
        path, offset = _located(wanted.parameter, walk)
        if ((path, offset), wanted.at) in seen:
            continue
        seen.add(((path, offset), wanted.at))
        index = _index(wanted.parameter, walk)
        names = [str(one.spelling) for one in _siblings(wanted.parameter)]
        for given in walk.given:
            if (
                given.path == path
                and given.start <= offset < given.end
                and given.index == index
            ):
                here = rebind_to_caller(
                    wanted.given, pair_parameters(names, given.texts)
                )
                _join_one(
                    given.argument, replace(wanted, given=here, called=given.at), walk
                )


def _join_one(argument: Any, wanted: _Wanted, walk: _Walk) -> None:
    named = argument.referenced
    if argument.spelling in walk.names:
        _note_reference(argument, wanted.enclosing, walk, wanted)
    elif named is not None and named.kind is CursorKind.PARM_DECL:
        walk.wanted.append(replace(wanted, parameter=named))
    elif named is not None and named.kind in _POINTERS:
        for kernel in _stored(named, walk, _DEEPEST):
            _note_reference(kernel, wanted.enclosing, walk, wanted)


def _siblings(parameter: Any) -> list[Any]:
    return [
        one
        for one in parameter.semantic_parent.get_children()
        if one.kind is CursorKind.PARM_DECL
    ]


def _index(parameter: Any, walk: _Walk) -> int:
    places = [_located(one, walk) for one in _siblings(parameter)]
    place = _located(parameter, walk)
    return places.index(place) if place in places else -1


def collect_references(scope: Any, walk: _Walk) -> list[Any]:
    """Return all that refers to a declaration below a cursor, by one native visit: bodies have
    many thousand nodes.
    """
    found: list[Any] = []
    unit = scope._tu

    def visit(child: Any, _parent: Any, _nothing: Any) -> int:
        walk.nodes += 1
        if child._kind_id in _REFERENCES:
            child._tu = unit
            found.append(child)
        return _RECURSE if walk.nodes < _MOST_NODES else _BREAK

    cindex.conf.lib.clang_visitChildren(
        scope, cindex.callbacks["cursor_visit"](visit), None
    )
    return found


def _note_pointer(
    cursor: Any, function: Any, enclosing: _Enclosing, walk: _Walk
) -> None:
    """Follow what a launch is given in a kernel's place: `auto kernel = &k<float>;
    kernel<<<…>>>(…)`.

    Where that is no variable with such a value, it may be any kernel that the function or what
    it calls has stored.
    """
    at, named = _located(cursor, walk), cursor.referenced
    if named is None or not walk.text.is_launched(*at, cursor.spelling):
        return
    if named.kind is CursorKind.PARM_DECL:
        walk.wanted.append(_Wanted(named, at, enclosing))
    if named.kind not in _POINTERS:
        return
    for scope in (named, function):
        found = [
            kernel
            for kernel in _stored(scope, walk, _DEEPEST)
            if _may_hold(named, kernel)
        ]
        for kernel in found:
            _note_reference(kernel, enclosing, walk, _Wanted(named, at, enclosing))
        if found:
            return


def _may_hold(pointer: Any, kernel: Any) -> bool:
    """Tell whether a variable may point to a kernel, by its type where it has one of a function."""
    pointee = pointer.type.get_canonical().get_pointee()
    if pointee.kind is not TypeKind.FUNCTIONPROTO or kernel.referenced is None:
        return True
    return bool(
        pointee == kernel.referenced.type.get_canonical()
        or kernel.referenced.kind not in _FUNCTIONS
    )


def _stored(scope: Any, walk: _Walk, depth: int) -> list[Any]:
    """Return the references to kernels below a cursor and in the functions that are called
    there.
    """
    key = (scope.hash, depth)
    if key not in walk.stored:
        walk.stored[key] = found = []
        for cursor in collect_references(scope, walk):
            name = type_printer.cursor_name(cursor)
            if name in walk.names:
                found.append(cursor)
            elif depth and name in walk.users:
                called = cursor.referenced
                if called is not None and called.kind is CursorKind.FUNCTION_DECL:
                    found += _stored(called.get_definition() or called, walk, depth - 1)
    return walk.stored[key]


def _may_use(function: Any, walk: _Walk) -> bool:
    return walk.text.may_contain_use(
        *walk.places.extent(function), type_printer.cursor_name(function)
    )


def _note_reference(
    cursor: Any, enclosing: _Enclosing, walk: _Walk, wanted: _Wanted | None = None
) -> None:
    referenced = cursor.referenced
    if referenced is not None and referenced.kind is CursorKind.OVERLOADED_DECL_REF:
        referenced = _candidate(referenced)
    if (
        referenced is not None
        and (*_located(referenced, walk), referenced.spelling) in walk.kernels
    ):
        _note(
            referenced,
            walk,
            wanted.at if wanted else _located(cursor, walk),
            enclosing,
            wanted,
        )


def _candidate(overloaded: Any) -> Any:
    if cindex.conf.lib.clang_getNumOverloadedDecls(overloaded) != 1:
        return None
    return cindex.conf.lib.clang_getOverloadedDecl(overloaded, 0)


def _note(
    function: Any,
    walk: _Walk,
    at: SourcePlace,
    enclosing: _Enclosing,
    wanted: _Wanted | None = None,
) -> None:
    arguments = (
        ()
        if function.kind is CursorKind.FUNCTION_TEMPLATE
        else type_printer.print_template_arguments(function)
    )
    target = walk.kernels.get(
        (*_located(function, walk), function.spelling), UNKNOWN_PLACE
    )
    symbol = type_printer.device_symbol(function) if arguments else ""
    passed = (wanted.given, wanted.called) if wanted else ()
    walk.uses[
        KernelUse(
            function.spelling, target, arguments or (), symbol, *at, *enclosing, *passed
        )
    ] = None


def _located(cursor: Any, walk: _Walk) -> SourcePlace:
    name, offset = file_location(cursor.location)
    return path_in_checkout(name, walk.root, walk.directory) or "", offset


def _begins(cursor: Any, walk: _Walk) -> SourcePlace:
    file = cursor.extent.start.file
    return (
        path_in_checkout(file.name, walk.root, walk.directory) or "" if file else ""
    ), cursor.extent.start.offset


def _enclosing(function: Any) -> _Enclosing:
    """Return name and start of the function that a body belongs to: for a lambda, of the one
    that it stands in.
    """
    names: list[str] = []
    start, cursor = function.extent.start.offset, function
    while cursor is not None and cursor.kind is not CursorKind.TRANSLATION_UNIT:
        if cursor.kind in _FUNCTIONS:
            start = cursor.extent.start.offset
        name = cursor.spelling
        if "(lambda" in name or name == "operator()":
            names = []
        elif name and "(anonymous" not in name:
            names.append(name)
        cursor = cursor.semantic_parent
    return "::".join(reversed(names)), start
