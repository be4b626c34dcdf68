"""Place macros among the declarations of a kernel unit: redefinitions, and those whose names
earlier declarations use for something else.

All others stand in front of a unit, where no declaration has to wait for them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.macros.preprocessing_order import PreprocessingOrder


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
    member that is before it.
    """
    names = {
        word for member in members for word in context.get_references(member).words
    }
    candidates = [
        macro for macro in macros if macro.name in names or macro in redefinitions
    ]
    if not candidates:
        return []

    order = PreprocessingOrder(context.inclusions, context.files)
    # asked of clang once for each member, whatever the number of macros
    places = [
        (member, order.find_place(member.path, _clang_start(member)))
        for member in members
    ]
    placed = []
    for macro in candidates:
        macro_place = order.find_place(macro.path, macro.name_offset)
        earlier_members = [
            member
            for member, place in places
            if place and macro_place and place < macro_place
        ]
        position = max(
            (context.declaration_order[id(member)] for member in earlier_members),
            default=-1,
        )
        if macro in redefinitions:
            text = f"#undef {macro.name}\n{macro.text}"
            placed.append((position + 0.5, macro, text))
        elif any(
            macro.name in context.get_references(member).words
            for member in earlier_members
        ):
            placed.append((position + 0.5, macro, macro.text))

    return placed


def _clang_start(declaration: Declaration) -> int:
    return int(declaration.cursor.extent.start.offset)
