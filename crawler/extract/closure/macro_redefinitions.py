"""Place the redefinitions of a macro among the declarations of a kernel unit.

All others stand in front of a unit, where no declaration has to wait for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration


def find_redefinitions(ordered_macros: Sequence[Macro]) -> list[Macro]:
    """Return what gives a macro another meaning than it has by then; `ordered_macros` as the
    preprocessor takes them.
    """
    meaning: dict[str, str] = {}
    found = []
    for macro in ordered_macros:
        if meaning.setdefault(macro.name, macro.text) != macro.text:
            meaning[macro.name] = macro.text
            found.append(macro)
    return found


def place_redefinitions(
    redefined_macros: Sequence[Macro],
    declarations: Sequence[Declaration],
    declaration_order: Mapping[int, int],
) -> list[tuple[float, str]]:
    """Return the position among a unit's declarations, and the text, of each redefinition.

    It stands behind the last declaration of its file that is before it, else in front of the
    first.
    """
    by_path: dict[str, list[Declaration]] = defaultdict(list)
    wanted = {macro.path for macro in redefined_macros}
    for declaration in declarations:
        if declaration.path in wanted:
            by_path[declaration.path].append(declaration)
    return [
        (
            _position(macro, by_path[macro.path], declaration_order),
            f"#undef {macro.name}\n{macro.text}",
        )
        for macro in redefined_macros
    ]


def _position(
    macro: Macro, same: Sequence[Declaration], position: Mapping[int, int]
) -> float:
    at = bisect_left(same, macro.name_offset, key=_begins)
    if at:
        return position[id(same[at - 1])] + 0.5
    return position[id(same[0])] - 0.5 if same else -1.0


def _begins(declaration: Declaration) -> Any:
    return declaration.cursor.extent.start.offset
