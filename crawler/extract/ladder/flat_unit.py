"""Flatten a translation unit: the project's text in the order in which its compiler reads it.

What the project includes of itself stands in place of each `#include`; headers of libraries are
listed apart. Bodies of functions for the host alone are gone. All other text stays as it is,
conditionals and macros with it, so that it means what it meant.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Final

from clang.cindex import CursorKind

from crawler import headers
from crawler.cpp.directives import directive_name, directive_words
from crawler.cpp.edits import Edit
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.lexer import INCLUDE_DIRECTIVES
from crawler.extract.clang import parse
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.clang.cursor_queries import (
    get_included_file_name,
    list_child_cursors,
)
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.declaration_text import make_portable
from crawler.extract.closure.includes.installed_headers import replace_shims
from crawler.extract.closure.includes.library_headers import select_includes
from crawler.extract.ladder.host_code_edits import collect_host_edits
from crawler.model import CompileCommand

_PRELUDE_FOLDER: Final = "<kernelset/"
_WHOLE_PRELUDES: Final = {
    "<kernelset/torch.cuh>": "<kernelset/torch_parse.cuh>",
    "<kernelset/torch.hip.h>": "<kernelset/torch_parse.hip.h>",
}
"""Preludes with what the host has of PyTorch, for those with what devices have of it."""
_COMPILE_FOLDERS: Final = frozenset({"cuda", "torch", "common"})
"""Folders of our headers that units are compiled against; a parse knows others besides."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf".decode("latin-1")
_MAX_CHARACTERS: Final = 2 << 20
"""Text of the files of a unit that is flattened."""


@dataclass(frozen=True, slots=True)
class FlatPiece:
    """A range of whole lines of one file, host bodies blanked."""

    source: SourceText
    first_line: int
    text: str
    """As many lines as the file has there."""


@dataclass(frozen=True, slots=True)
class FlatUnit:
    """The project's text of a translation unit."""

    pieces: tuple[FlatPiece, ...]
    library_headers: tuple[str, ...]
    """The libraries' headers that it includes, as `<vector>`, in order."""

    @property
    def text(self) -> str:
        """All pieces, one behind the other."""
        return "".join(piece.text for piece in self.pieces)


def list_required_headers(flat_unit: FlatUnit, context: UnitContext) -> tuple[str, ...]:
    """Return the prelude and the headers that the text of a unit needs."""
    words = set(IDENTIFIER.findall(flat_unit.text))
    prelude, *selected = replace_shims(
        select_includes(words, context.project_names, context.dialect),
        words - context.project_names,
        context.installed_headers,
    )
    # templates of the host keep their bodies, and use more of PyTorch than devices do
    whole_prelude = _WHOLE_PRELUDES.get(prelude, prelude)
    # those of ours stand for what the prelude has already
    library_headers = [
        header
        for header in flat_unit.library_headers
        if not header.startswith(_PRELUDE_FOLDER)
    ]
    return tuple(dict.fromkeys((whole_prelude, *selected, *library_headers)))


@dataclass(slots=True)
class _IncludedFile:
    """A file as it was entered once, with what was entered from it."""

    path: str
    children: list[tuple[int, _IncludedFile]] = field(default_factory=list)
    """Each with the offset of its directive in this file."""


def flatten_unit(
    clang_unit: ClangUnit, root: Path, command: CompileCommand, context: UnitContext
) -> FlatUnit | None:
    """Return the text of a parsed unit; `None` where it is too much."""
    characters = sum(len(context.sources[path].raw) for path in context.files)
    if characters > _MAX_CHARACTERS:
        return None

    reader = _InclusionReader(root, command)
    entered_files = reader.list_entered_files(clang_unit)
    flattener = _Flattener(context, collect_host_edits(context))
    for file in entered_files:
        flattener.add_file(file)

    # one small file may be entered a million times
    if flattener.characters > _MAX_CHARACTERS:
        return None

    return FlatUnit(
        pieces=tuple(flattener.pieces),
        library_headers=tuple(dict.fromkeys(reader.list_library_headers(clang_unit))),
    )


class _InclusionReader:
    """Reads from a parse which file was entered where."""

    def __init__(self, root: Path, command: CompileCommand) -> None:
        self._root = root
        self._command = command

    def list_entered_files(self, clang_unit: ClangUnit) -> list[_IncludedFile]:
        """Return what the command line includes beforehand, then the unit's own file."""
        main = _IncludedFile(self._command.file)
        first_files: list[_IncludedFile] = []
        # the files that are open, outermost first; of those outside of the project nothing is kept
        open_files: list[_IncludedFile | None] = [main]
        for inclusion in clang_unit.get_includes():
            del open_files[max(1, inclusion.depth) :]
            parent = open_files[-1]
            path = self._find_path(inclusion.include.name)
            if path is None:
                open_files.append(None)
                continue

            child = _IncludedFile(path)
            open_files.append(child)
            includer = inclusion.location.file
            if includer is None or self._find_path(includer.name) is None:
                first_files.append(child)
            elif parent is not None:
                parent.children.append((inclusion.location.offset, child))

        return [*first_files, main]

    def _find_path(self, file_name: str) -> str | None:
        return parse.path_in_checkout(file_name, self._root, self._command.directory)

    def list_library_headers(self, clang_unit: ClangUnit) -> Iterator[str]:
        """Yield the libraries' headers that the project includes, by the names of units.

        They are asked of the directives: what the prelude has read is not entered again.
        """
        for cursor in list_child_cursors(clang_unit.cursor):
            if cursor.kind is not CursorKind.INCLUSION_DIRECTIVE:
                continue

            includer = cursor.location.file
            if includer is None or self._find_path(includer.name) is None:
                continue

            header = get_included_file_name(cursor)
            if header and self._find_path(header) is None:
                yield from self._iter_unit_names(header, cursor.spelling)

    def _iter_unit_names(self, file_name: str, written_name: str) -> Iterator[str]:
        """Yield the name by which units know a header, if they do."""
        prefix = f"{headers.ROOT}/"
        if not file_name.startswith(prefix):
            yield f"<{written_name}>"
            return

        folder, _, name = file_name.removeprefix(prefix).partition("/")
        # the other folders stand for headers of HIP, whose prelude has them all
        if folder in _COMPILE_FOLDERS:
            yield f"<{name}>"


@dataclass(slots=True)
class _Flattener:
    context: UnitContext
    host_edits: dict[str, list[Edit]]
    pieces: list[FlatPiece] = field(default_factory=list)
    characters: int = 0

    def add_file(self, file: _IncludedFile) -> None:
        """Add the text of a file, and of those that it includes in their places.

        Nothing is added behind more text than is flattened.
        """
        if self.characters > _MAX_CHARACTERS:
            return

        source = self.context.sources[file.path]
        host_edits = self.host_edits.get(file.path, [])
        children = dict(self._locate_children(file, source))
        copied_end = 0
        for start, end in find_directive_ranges(source):
            if not _is_left_out(source, start, end) or _is_edited(host_edits, start):
                continue

            self._add_range(source, copied_end, start, host_edits)
            copied_end = end
            if start in children:
                self.add_file(children[start])

        self._add_range(source, copied_end, len(source.raw), host_edits)

    def _locate_children(
        self, file: _IncludedFile, source: SourceText
    ) -> Iterator[tuple[int, _IncludedFile]]:
        """Yield the offset of each directive with the file that was entered there."""
        ranges = find_directive_ranges(source)
        for offset, child in file.children:
            index = bisect_right(ranges, (offset, len(source.raw))) - 1
            if index >= 0 and offset < ranges[index][1]:
                yield ranges[index][0], child

    def _add_range(
        self, source: SourceText, start: int, end: int, host_edits: Sequence[Edit]
    ) -> None:
        """Add a range as lines of its own, with as many lines as it has in its file."""
        parts: list[str] = []
        position = start
        first = bisect_left(host_edits, start, key=itemgetter(0))
        behind = bisect_left(host_edits, end, key=itemgetter(0))
        for edit_start, edit_end, replacement in host_edits[first:behind]:
            if edit_end > end:
                continue
            parts.append(source.raw[position:edit_start])
            line_count = source.raw.count("\n", edit_start, edit_end)
            parts.append(replacement + "\n" * line_count)
            position = edit_end

        parts.append(source.raw[position:end])
        text = "".join(parts).replace("\r\n", "\n")
        # a file may begin with a byte order mark; another has it in front of itself then
        if start == 0:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        if not text.strip():
            return

        portable = make_portable(text, self.context.type_names)
        # what a rule adds or takes must not move the lines below it
        if portable.count("\n") == text.count("\n"):
            text = portable

        self.characters += len(text)
        self.pieces.append(FlatPiece(source, source.line_number(start), f"{text}\n"))


def _is_edited(edits: Sequence[Edit], offset: int) -> bool:
    """Tell whether an offset stands in what an edit takes away."""
    index = bisect_right(edits, offset, key=itemgetter(0)) - 1
    return index >= 0 and offset < edits[index][1]


def _is_left_out(source: SourceText, start: int, end: int) -> bool:
    """Tell whether a directive has no place in a flat text."""
    name = directive_name(source.raw, start)
    if name != "pragma":
        return name in INCLUDE_DIRECTIVES

    return directive_words(source.raw, start, end)[1:2] == ["once"]
