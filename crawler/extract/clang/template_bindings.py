"""Pair the parameters of the templates round a specialisation with its arguments."""

from __future__ import annotations

from clang.cindex import CursorKind

from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import get_specialized_template
from crawler.extract.clang.signature import template_parameter_cursors


def take_bindings(scope: Cursor, arguments: list[str]) -> list[tuple[Cursor, str]]:
    """Return the template parameters of one scope, each with its argument.

    These are taken off the end of `arguments`, which begin with those of the outermost template;
    empty texts stand for them where they are not enough.
    """
    # a partial specialisation has its own, an instantiation those of what it is made from
    cursors = template_parameter_cursors(scope)
    template = get_specialized_template(scope)
    if not cursors and template is not None:
        cursors = template_parameter_cursors(template)

    first = len(arguments) - len(cursors)
    if not cursors or first < 0:
        return [(cursor, "") for cursor in cursors]

    own_arguments = arguments[first:]
    del arguments[first:]
    return list(zip(cursors, own_arguments, strict=True))


def list_bindings(
    specialisation: Cursor, arguments: tuple[str, ...]
) -> list[tuple[Cursor, str]]:
    """Return the template parameters round a specialisation, the innermost first."""
    remaining = list(arguments)
    bindings: list[tuple[Cursor, str]] = []
    scope: Cursor | None = specialisation
    while scope is not None and scope.kind is not CursorKind.TRANSLATION_UNIT:
        bindings += take_bindings(scope, remaining)
        scope = scope.semantic_parent

    return bindings
