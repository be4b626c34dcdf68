"""Split the template arguments of a printed specialisation."""

from __future__ import annotations

import re
from typing import Final

_SUFFIX: Final = re.compile(r"^(-?\d+)[UL]+$")


def find_printed_arguments(printed: str, template_name: str) -> tuple[str, ...] | None:
    """Return the arguments behind the first `name<` of a printed declaration, those of packs
    laid out flat.
    """
    found = re.search(rf"(?<!\w){re.escape(template_name)}<", printed)
    if found is None:
        return None
    return tuple(split_template_arguments(printed, found.end()))


def split_template_arguments(text: str, start: int) -> list[str]:
    """Split at commas of the first level; a pack stands in angle brackets of its own, which no
    type begins with.
    """
    parts, part, depth = [], start, 0
    for at in range(start, len(text)):
        character = text[at]
        if character in "(<[{":
            depth += 1
        elif character in ")>]}" and text[at - 1] != "-":
            depth -= 1
        if depth < 0 or (depth == 0 and character == ","):
            parts.append(text[part:at].strip())
            part = at + 1
        if depth < 0:
            break
    flat: list[str] = []
    for argument in parts:
        flat += (
            split_template_arguments(argument, 1)
            if argument.startswith("<")
            else [argument]
        )
    return [_SUFFIX.sub(r"\1", argument) for argument in flat if argument]
