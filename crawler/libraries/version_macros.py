"""Read versions from the macros of a header."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

UNKNOWN_VERSION: Final = "unknown"
_MAX_BYTES: Final = 1 << 18


def read_number(header: Path, macro: str) -> int | None:
    """Return the number that a header defines a macro as, `None` where it does not."""
    if not header.is_file():
        return None

    with header.open("rb") as file:
        text = file.read(_MAX_BYTES).decode("latin-1")

    definition = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{macro}[ \t]+(\d+)", text, re.M)
    return int(definition[1]) if definition else None


def read_parts(header: Path, macros: tuple[str, ...]) -> str:
    """Return the version that macros give part by part, the largest first."""
    numbers = [read_number(header, macro) for macro in macros]
    parts = [str(number) for number in numbers if number is not None]
    return ".".join(parts) or UNKNOWN_VERSION


def split_number(number: int | None, factors: tuple[int, ...]) -> str:
    """Return the version that one number holds: 101702 by (100000, 100, 1) is 1.17.2."""
    if number is None:
        return UNKNOWN_VERSION

    parts = []
    for factor in factors:
        part, number = divmod(number, factor)
        parts.append(str(part))

    return ".".join(parts)
