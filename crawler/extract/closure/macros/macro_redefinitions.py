"""Place macros among the declarations of a kernel unit: redefinitions, and those whose names
earlier declarations use for something else.

All others stand in front of a unit, where no declaration has to wait for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext


def find_redefinitions(ordered_macros: Sequence[Macro]) -> list[Macro]:
    """Return what gives a macro another meaning than it has by then; `ordered_macros` as the
    preprocessor takes them.
    """
    current_texts: dict[str, str] = {}
    redefinitions = []
    for macro in ordered_macros:
        if current_texts.setdefault(macro.name, macro.text) != macro.text:
            current_texts[macro.name] = macro.text
            redefinitions.append(macro)

    return redefinitions


def place_late_macros(
    macros: Sequence[Macro],
    redefinitions: Collection[Macro],
    members: Sequence[Declaration],
    context: UnitContext,
) -> list[tuple[float, Macro, str]]:
    """Return the position among a unit's declarations, and the text, of each macro that may not
    stand in front of all `members`.

    It is a redefinition, or a member in front of its place in the translation unit has its name: a
    template has a parameter of that name, which no macro was then. It stands behind the last
    declaration of its file that is before it, else in front of the first.
    """
    words_by_order = [
        (context.declaration_order[id(member)], context.get_references(member).words)
        for member in members
    ]
    names = {word for _, words in words_by_order for word in words}
    candidates = [macro for macro in macros if macro.name in names]
    candidates += [macro for macro in redefinitions if macro.name not in names]
    if not candidates:
        return []

    declarations_by_path = _group_by_path(candidates, context.declarations)
    placed = []
    for macro in candidates:
        position = _find_position(
            macro, declarations_by_path[macro.path], context.declaration_order
        )
        if macro in redefinitions:
            placed.append((position, macro, f"#undef {macro.name}\n{macro.text}"))
        elif any(
            order < position and macro.name in words for order, words in words_by_order
        ):
            placed.append((position, macro, macro.text))

    return placed


def _group_by_path(
    macros: Sequence[Macro], declarations: Sequence[Declaration]
) -> Mapping[str, list[Declaration]]:
    """Return the declarations of each file that has one of these macros."""
    paths = {macro.path for macro in macros}
    declarations_by_path: dict[str, list[Declaration]] = defaultdict(list)
    for declaration in declarations:
        if declaration.path in paths:
            declarations_by_path[declaration.path].append(declaration)

    return declarations_by_path


def _find_position(
    macro: Macro,
    file_declarations: Sequence[Declaration],
    declaration_order: Mapping[int, int],
) -> float:
    """Return a position between those of two declarations, which are whole numbers."""
    count_before = bisect_left(
        file_declarations,
        macro.name_offset,
        key=_clang_start,
    )
    if count_before:
        last_before = file_declarations[count_before - 1]
        return declaration_order[id(last_before)] + 0.5

    if file_declarations:
        return declaration_order[id(file_declarations[0])] - 0.5

    return -1.0


def _clang_start(declaration: Declaration) -> int:
    return int(declaration.cursor.extent.start.offset)
