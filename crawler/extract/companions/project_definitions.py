"""The definitions of a project, by file, by name, and by what calls them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import open_tree
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.companions.definition import Definition, strip_qualifiers
from crawler.extract.companions.file_definitions import list_definitions
from crawler.extract.operators.project_files import iter_texts, list_code_files
from crawler.model import CompanionKind

_MAX_REACHED_FILES: Final = 100
"""Files that a file sees definitions of: those that it includes, the nearest first."""
_MAX_CALLING_FILES: Final = 8
_MAX_NAMESAKES: Final = 4
"""A name that more definitions of one file share says nothing."""


class ProjectDefinitions:
    """What the files of a project define, each read when it is asked for."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sources = SourceFiles(root)
        self._list_of_file = cache(self._list_definitions)
        self._index_visible = cache(self._index_visible_definitions)

    def resolve(self, name: str, path: str) -> Sequence[Definition]:
        """Return the definitions of a name that a file sees: those of the nearest file.

        Several where it is overloaded, or defined anew under another condition.
        """
        definitions = self._index_visible(path).get(name)
        if not definitions:
            return ()

        nearest = [
            definition
            for definition in definitions
            if definition.span.path == definitions[0].span.path
        ]
        return nearest if len(nearest) <= _MAX_NAMESAKES else ()

    def list_members(self, class_name: str, path: str) -> Sequence[Definition]:
        """Return the functions of a class that stand outside of it, where a file sees them."""
        return self._index_visible(path).get(f"{class_name}::", ())

    def find_callers(self, name: str, path: str) -> Iterator[Definition]:
        """Yield the functions that call a function of a file, those of the same file first."""
        call_name = strip_qualifiers(name)
        other_files = (
            other
            for other, text in self._native_texts.items()
            if other != path and call_name in text
        )

        for file in (path, *islice(other_files, _MAX_CALLING_FILES)):
            for definition in self._list_of_file(file):
                is_function = definition.kind is CompanionKind.FUNCTION
                is_itself = strip_qualifiers(definition.names[0]) == call_name
                if is_function and not is_itself and call_name in definition.used_names:
                    yield definition

    @cached_property
    def _native_texts(self) -> Mapping[str, str]:
        files = list_code_files(self._root, ())
        return dict(iter_texts(self._root, files.native))

    def _list_definitions(self, path: str) -> tuple[Definition, ...]:
        return list_definitions(self._sources[path])

    def _index_visible_definitions(self, path: str) -> dict[str, list[Definition]]:
        """Return the definitions of a file and of those that it includes, the nearest first, by
        unqualified name.

        Functions of a class are there by `Class::`, too.
        """
        graph = load_include_graph(open_tree(self._root))
        index: dict[str, list[Definition]] = defaultdict(list)

        for file in graph.list_reached_files(path)[:_MAX_REACHED_FILES]:
            for definition in self._list_of_file(file):
                for name in definition.names:
                    owner, _, own_name = name.rpartition("::")
                    index[own_name].append(definition)
                    if definition.kind is CompanionKind.FUNCTION and owner:
                        index[f"{strip_qualifiers(owner)}::"].append(definition)

        return index
