"""Find the classes of lambdas in types, and how clang prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clang.cindex import TemplateArgumentKind, TypeKind

from crawler.extract.clang.cursor import ClangType, Cursor

LAMBDA_TEXT: Final = re.compile(r"\(lambda at [^()]*:\d+:\d+\)")
_LAMBDA_PREFIX: Final = "(lambda at "
_MAX_DEPTH: Final = 6
"""Templates within the arguments of templates."""


def iter_lambda_classes(clang_type: ClangType, depth: int = 0) -> Iterator[Cursor]:
    """Yield the classes of the lambdas that a type is, or is made of."""
    canonical = clang_type.get_canonical()
    pointee = canonical.get_pointee()
    if pointee.kind is not TypeKind.INVALID:
        if depth < _MAX_DEPTH:
            yield from iter_lambda_classes(pointee, depth + 1)
        return

    declaration = canonical.get_declaration()
    if declaration.spelling.startswith(_LAMBDA_PREFIX):
        yield declaration
    elif depth < _MAX_DEPTH:
        for argument in iter_type_arguments(declaration):
            yield from iter_lambda_classes(argument, depth + 1)


def iter_type_arguments(specialisation: Cursor) -> Iterator[ClangType]:
    """Yield the template arguments of a specialisation that are types."""
    for index in range(max(0, specialisation.get_num_template_arguments())):
        try:
            kind = specialisation.get_template_argument_kind(index)
        except ValueError:
            # a pack, or an expression
            continue

        if kind is TemplateArgumentKind.TYPE:
            yield specialisation.get_template_argument_type(index)
