"""A definition of a file that host code may name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.identifiers import IDENTIFIER
from crawler.model import CompanionKind, Span


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A macro, constant, enumeration, function or class."""

    kind: CompanionKind
    names: tuple[str, ...]
    """Qualified: several of a declaration of several constants, and of an enumeration."""
    span: Span
    text: str
    """A character a byte."""

    @cached_property
    def used_names(self) -> frozenset[str]:
        """The names in its text, but for those in comments and literals."""
        return find_names(self.text)


def find_names(text: str) -> frozenset[str]:
    """Return the names in a text, but for those in comments and literals."""
    return frozenset(IDENTIFIER.findall(blank_comments_and_literals(text)))


def strip_qualifiers(name: str) -> str:
    """Return the last part of a qualified name."""
    return name.rpartition("::")[2]
