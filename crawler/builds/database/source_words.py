"""Identifiers in the files of a tree, read without parsing."""

from __future__ import annotations

import sys

from crawler.checkout.source_tree import SourceTree
from crawler.cpp.comments import without_comments
from crawler.cpp.identifiers import IDENTIFIER


class SourceWords:
    """The words of each file of a tree, comments aside; read once each."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._words: dict[str, frozenset[str]] = {}

    def read_code(self, path: str) -> str:
        """Return a file without its comments, one character for each byte."""
        return without_comments(self._tree.read_bytes(path).decode("latin-1"))

    def list_words(self, path: str) -> frozenset[str]:
        """Return the identifiers in a file, those in its string literals among them."""
        words = self._words.get(path)
        if words is None:
            # the same few thousand names stand in all files of a project
            identifiers = IDENTIFIER.findall(self.read_code(path))
            words = frozenset(map(sys.intern, identifiers))
            self._words[path] = words

        return words
