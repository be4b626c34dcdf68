"""Say of mutants that no case tells from the kernel what they change, for people to read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from crawler.model import Survivor
from crawler.validate.strength.mutation_sites import Change

_MAX_SURVIVORS: Final = 40
_MAX_CHARACTERS: Final = 80


def describe_survivors(source: str, changes: Iterable[Change]) -> tuple[Survivor, ...]:
    """Return the first of `changes` of a unit as lines and texts, in their order."""
    content = source.encode("utf-8", "surrogateescape")
    return tuple(
        Survivor(
            line=change.line,
            before=_shorten(
                content[change.begin : change.end].decode("utf-8", "replace")
            ),
            after=_shorten(change.text),
        )
        for change in islice(changes, _MAX_SURVIVORS)
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARACTERS else f"{line[: _MAX_CHARACTERS - 1]}…"
