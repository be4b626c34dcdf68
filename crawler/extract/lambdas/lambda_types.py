"""Find the classes of lambdas in types, and how clang prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clang.cindex import TemplateArgumentKind, TypeKind

from crawler.extract.clang.cursor import ClangType, Cursor

# within a type that clang prints: `(lambda at a.cu:12:3)`
LAMBDA_TEXT: Final = re.compile(r"\(lambda at [^()]*:\d+:\d+\)")
_LAMBDA_PREFIX: Final = "(lambda at "
_MAX_TYPES: Final = 1_000
"""Types in the arguments of templates that are looked at."""


def iter_lambda_classes(clang_type: ClangType) -> Iterator[Cursor]:
    """Yield the classes of the lambdas that a type is, or is made of."""
    pending = [clang_type]
    # a hostile type names the same ones in exponentially many places
    seen_spellings: set[str] = set()
    while pending and len(seen_spellings) < _MAX_TYPES:
        canonical = pending.pop().get_canonical()
        pointee = canonical.get_pointee()
        if pointee.kind is not TypeKind.INVALID:
            pending.append(pointee)
            continue

        declaration = canonical.get_declaration()
        if declaration.spelling.startswith(_LAMBDA_PREFIX):
            yield declaration
        elif canonical.spelling not in seen_spellings:
            seen_spellings.add(canonical.spelling)
            pending += iter_type_arguments(declaration)


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
