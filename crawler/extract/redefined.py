"""Macros that a project defines more than once: each later definition stands in a unit where it begins to count.

All others stand in front of a unit, where no declaration has to wait for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from crawler.extract.declarations import Declaration
from crawler.extract.macros import Macro


def redefinitions(ordered: Sequence[Macro]) -> list[Macro]:
    """Return what gives a macro another meaning than it has by then; `ordered` as the preprocessor takes them."""
    meaning: dict[str, str] = {}
    found = []
    for macro in ordered:
        if meaning.setdefault(macro.name, macro.text) != macro.text:
            meaning[macro.name] = macro.text
            found.append(macro)
    return found


def placed(
    later: Sequence[Macro], declarations: Sequence[Declaration], position: Mapping[int, int]
) -> list[tuple[float, str]]:
    """Return the position among a unit's declarations, and the text, of each redefinition.

    It stands behind the last declaration of its file that is before it, else in front of the first.
    """
    by_path: dict[str, list[Declaration]] = defaultdict(list)
    wanted = {macro.path for macro in later}
    for declaration in declarations:
        if declaration.path in wanted:
            by_path[declaration.path].append(declaration)
    return [(_position(macro, by_path[macro.path], position), f"#undef {macro.name}\n{macro.text}") for macro in later]


def _position(macro: Macro, same: Sequence[Declaration], position: Mapping[int, int]) -> float:
    at = bisect_left(same, macro.name_offset, key=_begins)
    if at:
        return position[id(same[at - 1])] + 0.5
    return position[id(same[0])] - 0.5 if same else -1.0


def _begins(declaration: Declaration) -> Any:
    return declaration.cursor.extent.start.offset
