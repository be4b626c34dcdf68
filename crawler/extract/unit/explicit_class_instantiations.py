"""Write explicit instantiations of the class templates that a unit names with all their
arguments.

An example of a library often chooses an operator by a type's name, and leaves its use to a
driver that it includes:
where that is not here, nothing instantiates the members that launch. Nor does anything where a
compiler gives up the
body that calls them, as it does at the first variable whose type it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from clang.cindex import CursorKind, callbacks, conf

from crawler.extract.clang.cursor_locations import CursorLocations, child_cursors
from crawler.extract.clang.type_printer import (
    UNNAMEABLE_TYPE_PATTERN,
    print_qualified_type,
)

_SCOPES: Final = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
}
_ALIASES: Final = {CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL}
_FUNCTIONS: Final = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD}
_VARIABLE: Final = CursorKind.VAR_DECL.value
_BREAK, _RECURSE = 0, 2
_MOST: Final = 8
_MOST_NODES: Final = 400_000
_DEEPEST: Final = 2


def instantiate_named_classes(
    clang_unit: Any,
    path: str,
    locations: CursorLocations,
    may_launch: Callable[[Any], bool],
    *,
    has_errors: bool = False,
) -> str:
    """Return explicit instantiations of what the aliases in a unit's own file name, and whose
    class may launch.

    Where errors may have `has_errors` the compiler, the variables in its functions name as
    much.
    """
    own = list(_own(clang_unit.cursor, path, locations))
    aliases = (
        cursor.underlying_typedef_type for cursor in own if cursor.kind in _ALIASES
    )
    functions = (cursor for cursor in own if has_errors and cursor.kind in _FUNCTIONS)
    types = (
        type_.get_canonical()
        for listed in (aliases, _of_variables(functions))
        for type_ in listed
    )
    found = dict.fromkeys(
        text for type_ in types for text in _launching(type_, may_launch, _DEEPEST)
    )
    return "".join(f"\ntemplate struct {one};" for one in islice(found, _MOST))


def _own(scope: Any, path: str, places: CursorLocations) -> Iterator[Any]:
    for cursor in child_cursors(scope):
        if places.path(cursor) == path and cursor.kind in _SCOPES:
            yield from _own(cursor, path, places)
        elif places.path(cursor) == path:
            yield cursor


def _of_variables(functions: Iterable[Any]) -> Iterator[Any]:
    """Yield the types of the variables in bodies, in lambdas of these too."""
    left = _MOST_NODES
    for function in functions:
        found: list[Any] = []

        def visit(child: Any, _parent: Any, found: list[Any]) -> int:
            nonlocal left
            left -= 1
            if child._kind_id == _VARIABLE:
                found.append(child)
            return _RECURSE if left > 0 else _BREAK

        conf.lib.clang_visitChildren(function, callbacks["cursor_visit"](visit), found)
        for variable in found:
            variable._tu = function._tu
            yield variable.type


def _launching(
    type_: Any, may_launch: Callable[[Any], bool], depth: int
) -> Iterator[str]:
    """Yield a type whose class may launch, or else those among its arguments: several operators
    come as a tuple.
    """
    made = type_.get_declaration()
    template = conf.lib.clang_getSpecializedCursorTemplate(made)
    if template is None or made.get_num_template_arguments() <= 0:
        return
    if may_launch(template):
        text = print_qualified_type(type_)
        if not UNNAMEABLE_TYPE_PATTERN.search(text):
            yield text
    elif depth:
        for at in range(min(_MOST, type_.get_num_template_arguments())):
            yield from _launching(
                type_.get_template_argument_type(at).get_canonical(),
                may_launch,
                depth - 1,
            )
