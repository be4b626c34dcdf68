"""Which place of a translation unit a preprocessor comes to before another one."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.extract.closure.context.inner_inclusions import Inclusions

Place = tuple[int, ...]
"""Offsets of the directives that lead to a file, from the outermost file on, then one in it. Of two
places that is first which is less: `(0, 120, 30)` stands in a file that is included at 120.
"""


class PreprocessingOrder:
    """The places of the files of a translation unit, each as it was entered first."""

    def __init__(self, inclusions: Inclusions, files: Sequence[str]) -> None:
        """`files` are the project's, included ones before those that include them."""
        self._places: dict[str, Place] = {}
        included = {path for paths in inclusions.values() for path in paths.values()}
        outermost = [path for path in files if path not in included]
        pending: list[tuple[str, Place]] = [
            (path, (number,)) for number, path in enumerate(outermost)
        ]
        pending.reverse()
        while pending:
            path, place = pending.pop()
            if path in self._places:
                continue

            self._places[path] = place
            children = sorted(inclusions.get(path, {}).items(), reverse=True)
            pending += [(child, (*place, offset)) for offset, child in children]

    def find_place(self, path: str, offset: int) -> Place | None:
        """Return where an offset in a file is; `None` for a file that nobody is known to enter."""
        place = self._places.get(path)
        return None if place is None else (*place, offset)
