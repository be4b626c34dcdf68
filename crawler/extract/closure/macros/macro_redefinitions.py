"""Place the redefinitions of a macro among the declarations of a kernel unit.

All others stand in front of a unit, where no declaration has to wait for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration


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


def place_redefinitions(
    redefined_macros: Sequence[Macro],
    declarations: Sequence[Declaration],
    declaration_order: Mapping[int, int],
) -> list[tuple[float, str]]:
    """Return the position among a unit's declarations, and the text, of each redefinition.

    It stands behind the last declaration of its file that is before it, else in front of the
    first.
    """
    paths = {macro.path for macro in redefined_macros}
    declarations_by_path: dict[str, list[Declaration]] = defaultdict(list)
    for declaration in declarations:
        if declaration.path in paths:
            declarations_by_path[declaration.path].append(declaration)

    placed = []
    for macro in redefined_macros:
        position = _find_position(
            macro,
            declarations_by_path[macro.path],
            declaration_order,
        )
        placed.append((position, f"#undef {macro.name}\n{macro.text}"))

    return placed


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
