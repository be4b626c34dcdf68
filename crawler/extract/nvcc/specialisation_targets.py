"""Give a function template and its specialisations the same targets.

nvcc accepts `template <> __host__ __device__` of a template that is `__device__` alone, clang does
not: to it a target is part of a function's signature.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit
from crawler.extract.clang.declarations import Declaration
from crawler.extract.nvcc.target_words import (
    HOST_WORD,
    begins_with_template_head,
    find_specifiers,
    list_target_words,
)

_HOST_ALONE: Final = frozenset({HOST_WORD})


def collect_target_edits(
    declarations: Sequence[Declaration],
) -> dict[int, tuple[Edit, ...]]:
    """Return which words are put in, by the identity of a declaration."""
    families: dict[tuple[tuple[str, ...], str], list[Declaration]] = defaultdict(list)
    for declaration in declarations:
        if declaration.kind == "function":
            key = declaration.namespaces, declaration.cursor.spelling
            families[key].append(declaration)

    edits: dict[int, tuple[Edit, ...]] = {}
    for family in families.values():
        members = list(filter(begins_with_template_head, family))
        if _is_of_one_template(members):
            for declaration, words in _list_missing_words(members):
                place = find_specifiers(
                    declaration.source, declaration.start, declaration.end
                )
                edits[id(declaration)] = ((place, place, f"{words} "),)

    return edits


def _is_of_one_template(members: Sequence[Declaration]) -> bool:
    """Tell whether these are a template and specialisations of it, and of no overload."""
    templates = {
        declaration.cursor.canonical.hash
        for declaration in members
        if declaration.cursor.kind is CursorKind.FUNCTION_TEMPLATE
    }
    return len(templates) == 1 and any(
        declaration.cursor.kind is not CursorKind.FUNCTION_TEMPLATE
        for declaration in members
    )


def _list_missing_words(
    members: Sequence[Declaration],
) -> list[tuple[Declaration, str]]:
    targets = [_read_targets(declaration) for declaration in members]
    target_words = frozenset[str]().union(*targets)
    missing = [" ".join(sorted(target_words - own_targets)) for own_targets in targets]
    return [pair for pair in zip(members, missing, strict=True) if pair[1]]


def _read_targets(declaration: Declaration) -> frozenset[str]:
    return frozenset(list_target_words(declaration.cursor)) or _HOST_ALONE
