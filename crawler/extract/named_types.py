"""Explicit instantiations of the class templates that a unit names with all their arguments.

An example of a library often chooses an operator by a type's name, and leaves its use to a driver that it includes:
where that is not here, nothing instantiates the members that launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from clang.cindex import CursorKind, conf

from crawler.extract.places import Places, children
from crawler.extract.spelling import UNSPEAKABLE, in_full

_SCOPES: Final = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}
_ALIASES: Final = {CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL}
_MOST: Final = 8
_DEEPEST: Final = 2


def instantiated(unit: Any, path: str, places: Places, may_launch: Callable[[Any], bool]) -> str:
    """Return explicit instantiations of what the aliases in a unit's own file name, and whose class may launch."""
    found = dict.fromkeys(_specialisations(unit.cursor, path, places, may_launch))
    return "".join(f"\ntemplate struct {one};" for one in islice(found, _MOST))


def _specialisations(scope: Any, path: str, places: Places, may_launch: Callable[[Any], bool]) -> Iterator[str]:
    for cursor in children(scope):
        if places.path(cursor) != path:
            continue
        if cursor.kind in _SCOPES:
            yield from _specialisations(cursor, path, places, may_launch)
        elif cursor.kind in _ALIASES:
            yield from _launching(cursor.underlying_typedef_type.get_canonical(), may_launch, _DEEPEST)


def _launching(type_: Any, may_launch: Callable[[Any], bool], depth: int) -> Iterator[str]:
    """Yield a type whose class may launch, or else those among its arguments: several operators come as a tuple."""
    made = type_.get_declaration()
    template = conf.lib.clang_getSpecializedCursorTemplate(made)
    if template is None or made.get_num_template_arguments() <= 0:
        return
    if may_launch(template):
        text = in_full(type_)
        if not UNSPEAKABLE.search(text):
            yield text
    elif depth:
        for at in range(min(_MOST, type_.get_num_template_arguments())):
            yield from _launching(type_.get_template_argument_type(at).get_canonical(), may_launch, depth - 1)
