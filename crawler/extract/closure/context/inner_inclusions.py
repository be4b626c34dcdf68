"""The files that a declaration includes within itself: a table in a body, the members of a class.

```
template <class T> __device__ void evaluate(T *x) {
#include "coefficients.inc"
}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from crawler.cpp.edits import Edit
from crawler.cpp.files.identifier_uses import Identifier, collect_identifiers
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.parse import path_in_checkout

Inclusions = Mapping[str, Mapping[int, str]]
"""Of each file of the project the files that it includes, by the offset of their directives."""
_MAX_DEPTH: Final = 8
"""Files that are nested in one another: one may include itself."""
_MAX_CHARACTERS: Final = 1 << 20
"""Text that one declaration may take of other files."""


def find_inclusions(clang_unit: ClangUnit, root: Path, directory: str) -> Inclusions:
    """Return which files of the project its files include, as a parse entered them."""
    inclusions: dict[str, dict[int, str]] = {}
    for inclusion in clang_unit.get_includes():
        includer = inclusion.location.file
        if includer is None:
            continue

        path = path_in_checkout(includer.name, root, directory)
        included_path = path_in_checkout(inclusion.include.name, root, directory)
        if path is not None and included_path is not None:
            offset = inclusion.location.offset
            inclusions.setdefault(path, {}).setdefault(offset, included_path)

    return inclusions


def find_inclusion_edits(
    declaration: Declaration,
    inclusions: Inclusions,
    sources: SourceFiles,
    left_out: Sequence[Edit] = (),
) -> tuple[Edit, ...]:
    """Return what puts the text of files in place of the directives in a declaration.

    `left_out` are the edits that leave out other parts of it. None where it is too much text.
    """
    edits = []
    size = 0
    for start, end, path in _iter_directives(
        declaration.source, declaration.start, declaration.end, inclusions
    ):
        is_left_out = any(first <= start < behind for first, behind, _ in left_out)
        if is_left_out:
            continue

        text = "".join(_iter_pieces(path, inclusions, sources, _MAX_DEPTH))
        size += len(text)
        if size > _MAX_CHARACTERS:
            return ()

        edits.append((start, end, text))

    return tuple(edits)


def collect_included_identifiers(
    declaration: Declaration,
    inclusions: Inclusions,
    sources: SourceFiles,
    left_out: Sequence[Edit],
) -> set[Identifier]:
    """Return the names in the files that a declaration includes, outside of what is left out."""
    pending = [
        path
        for start, _, path in _iter_directives(
            declaration.source, declaration.start, declaration.end, inclusions
        )
        if not any(first <= start < behind for first, behind, _ in left_out)
    ]
    identifiers: set[Identifier] = set()
    paths: set[str] = set()
    while pending:
        path = pending.pop()
        if path in paths:
            continue
        paths.add(path)
        source = sources[path]
        identifiers |= collect_identifiers(source, 0, len(source.raw))
        pending += inclusions.get(path, {}).values()

    return identifiers


def _iter_directives(
    source: SourceText, start: int, end: int, inclusions: Inclusions
) -> Iterator[tuple[int, int, str]]:
    """Yield the range of each directive between two offsets, with the file that it includes."""
    path_by_offset = inclusions.get(source.path, {})
    offsets = sorted(offset for offset in path_by_offset if start <= offset < end)
    if not offsets:
        return

    ranges = find_directive_ranges(source)
    for offset in offsets:
        for range_start, range_end in ranges:
            if range_start <= offset < range_end:
                yield range_start, range_end, path_by_offset[offset]


def _iter_pieces(
    path: str, inclusions: Inclusions, sources: SourceFiles, depth: int
) -> Iterator[str]:
    """Yield the text of a file, that of the files that it includes in their places."""
    source = sources[path]
    size = 0
    done = 0
    for start, end, included_path in _iter_directives(
        source, 0, len(source.raw), inclusions
    ):
        yield source.text_between(done, start)
        if depth:
            for piece in _iter_pieces(included_path, inclusions, sources, depth - 1):
                yield piece
                size += len(piece)
                # a file that includes itself twice would double with each turn
                if size > _MAX_CHARACTERS:
                    return
        done = end

    yield source.text_between(done, len(source.raw))
