"""Write explicit instantiations of the class templates that a unit names with all their
arguments.

An example of a library often chooses an operator by a type's name, and leaves its use to a
driver that it includes: where that is not here, nothing instantiates the members that launch.
Nor does anything where a compiler gives up the body that calls them, as it does at the first
variable whose type it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from clang.cindex import CursorKind, callbacks, conf

from crawler.extract.clang.cursor import ClangType, ClangUnit, Cursor
from crawler.extract.clang.cursor_queries import CursorLocations, list_child_cursors
from crawler.extract.clang.type_printer import (
    UNNAMEABLE_TYPE_PATTERN,
    print_qualified_type,
)

_SCOPE_KINDS: Final = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
}
_ALIAS_KINDS: Final = {CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL}
_FUNCTION_KINDS: Final = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD}
_VARIABLE_KIND: Final = CursorKind.VAR_DECL.value
# CXChildVisitResult of libclang
_VISIT_BREAK: Final = 0
_VISIT_RECURSE: Final = 2
_MAX_INSTANTIATIONS: Final = 8
_MAX_ARGUMENTS: Final = 8
"""Arguments of a template that are looked at for types that launch."""
_MAX_NODES: Final = 400_000
_MAX_ARGUMENT_DEPTH: Final = 2


def instantiate_named_classes(
    clang_unit: ClangUnit,
    path: str,
    locations: CursorLocations,
    may_launch: Callable[[Cursor], bool],
    *,
    has_errors: bool = False,
) -> str:
    """Return explicit instantiations of the classes that aliases in a unit's own file name, and
    whose template `may_launch`.

    Where the compiler `has_errors`, the variables in the file's functions name as much.
    """
    types = _iter_named_types(
        clang_unit,
        path,
        locations,
        has_errors=has_errors,
    )
    names: dict[str, None] = {}
    for type_ in types:
        names.update(
            dict.fromkeys(_iter_launching_types(type_, may_launch, _MAX_ARGUMENT_DEPTH))
        )

    return "".join(
        f"\ntemplate struct {name};" for name in islice(names, _MAX_INSTANTIATIONS)
    )


def _iter_named_types(
    clang_unit: ClangUnit, path: str, locations: CursorLocations, *, has_errors: bool
) -> Iterator[ClangType]:
    cursors = list(_iter_cursors_of_file(clang_unit.cursor, path, locations))
    for cursor in cursors:
        if cursor.kind in _ALIAS_KINDS:
            yield cursor.underlying_typedef_type.get_canonical()

    # without errors the compiler has instantiated what variables name
    if has_errors:
        functions = (cursor for cursor in cursors if cursor.kind in _FUNCTION_KINDS)
        for type_ in _iter_variable_types(functions):
            yield type_.get_canonical()


def _iter_cursors_of_file(
    scope: Cursor, path: str, locations: CursorLocations
) -> Iterator[Cursor]:
    for cursor in list_child_cursors(scope):
        if locations.find_path(cursor) != path:
            continue
        if cursor.kind in _SCOPE_KINDS:
            yield from _iter_cursors_of_file(cursor, path, locations)
        else:
            yield cursor


def _iter_variable_types(functions: Iterable[Cursor]) -> Iterator[ClangType]:
    """Yield the types of the variables in bodies, in lambdas of these too."""
    remaining_nodes = _MAX_NODES

    def visit(child: Cursor, _parent: Cursor, variables: list[Cursor]) -> int:
        nonlocal remaining_nodes
        remaining_nodes -= 1
        if child._kind_id == _VARIABLE_KIND:
            variables.append(child)

        return _VISIT_RECURSE if remaining_nodes > 0 else _VISIT_BREAK

    callback = callbacks["cursor_visit"](visit)
    for function in functions:
        variables: list[Cursor] = []
        conf.lib.clang_visitChildren(function, callback, variables)
        for variable in variables:
            variable._tu = function._tu
            yield variable.type


def _iter_launching_types(
    type_: Any, may_launch: Callable[[Cursor], bool], depth: int
) -> Iterator[str]:
    """Yield a type whose class may launch, or else those among its arguments.

    e.g. several operators come as one tuple.
    """
    declaration = type_.get_declaration()
    template = conf.lib.clang_getSpecializedCursorTemplate(declaration)
    # no specialisation of a class template
    if template is None or declaration.get_num_template_arguments() <= 0:
        return
    if may_launch(template):
        text = print_qualified_type(type_)
        # lambdas and local classes have no name
        if not UNNAMEABLE_TYPE_PATTERN.search(text):
            yield text
    elif depth:
        count = min(_MAX_ARGUMENTS, type_.get_num_template_arguments())
        for index in range(count):
            argument = type_.get_template_argument_type(index).get_canonical()
            yield from _iter_launching_types(argument, may_launch, depth - 1)
