"""A statement of a function's body, whichever syntax tree shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from crawler.model import Parameter

TextRange = tuple[int, int]
"""Offsets of a range of a file."""
TYPENAME = "typename"
"""Type of a variable that is itself a type, as a template head has it."""


class StatementKind(Enum):
    """What a slice must know of a statement."""

    SIMPLE = auto()
    """A declaration or an expression."""
    BLOCK = auto()
    BRANCH = auto()
    """`if`: its children are what is done, and what is done otherwise."""
    LOOP = auto()
    SWITCH = auto()
    CASE = auto()
    """A label of a switch with the statement behind it; `default` has an empty head."""
    EXIT = auto()
    """`return`, `throw`, `break`, `continue`, `goto`."""


@dataclass(frozen=True, slots=True)
class InnerBlock:
    """A block within an expression: the body of a lambda, mostly."""

    block: Statement
    argument: TextRange
    """The lambda, or the block where a macro takes it as it is."""
    variables: tuple[Parameter, ...]
    """What the block sees that the text in front of it does not declare: the parameters of the
    lambda, and what a macro declares.
    """


class Statement(Protocol):
    """A statement; offsets in its file, its semicolon included."""

    @property
    def kind(self) -> StatementKind:
        """What it is."""

    @property
    def start(self) -> int:
        """The offset of its first character."""

    @property
    def end(self) -> int:
        """The offset behind its last character."""

    @property
    def head(self) -> TextRange:
        """What stands in the brackets of a branch, a loop or a switch, and behind `case`."""

    def list_children(self) -> Sequence[Statement]:
        """Return the statements directly in it; of an expression none."""

    def list_variables(self) -> Sequence[Parameter]:
        """Return what it declares, a loop in its head; of a type the type is `typename`."""

    def find_written_names(self) -> frozenset[str]:
        """Return the names of variables that it may change, but for those it declares."""

    def find_overwritten_names(self) -> frozenset[str]:
        """Return the names of variables that have a new value behind it, whatever they had."""

    def find_inner_block(self, offset: int) -> InnerBlock | None:
        """Return the outermost block in an expression that an offset lies in."""
