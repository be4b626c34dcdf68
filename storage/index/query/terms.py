"""Terms of the query language: a field, an operator and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from storage.index.query.glob import Glob


class FieldKind(StrEnum):
    """What a field holds; it decides which operators apply."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "true or false"
    MANY = "many texts"
    VERDICT = "a status for each target or device"
    WORDS = "words of a text"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a kernel's row that queries can name."""

    name: str
    kind: FieldKind
    list_choices: Callable[[], Iterable[StrEnum]] = tuple
    """Lists its values where there are few; what defines them is loaded only then."""
    row_attribute: str = ""
    """Its name in `KernelRow`, where that differs."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it can have, where these are few; empty for any."""
        return tuple(choice.value for choice in self.list_choices())


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from one to another, both among them; `None` for no end."""

    least: int | None
    greatest: int | None

    def holds(self, number: int) -> bool:
        """Return whether a number is among them."""
        is_large_enough = self.least is None or number >= self.least
        is_small_enough = self.greatest is None or number <= self.greatest
        return is_large_enough and is_small_enough


Value = Glob | Range | int | bool


@dataclass(frozen=True, slots=True)
class Term:
    """One condition on a field, which holds where one of its values fits."""

    field: Field
    operator: str
    """`=`, `<`, `<=`, `>` or `>=`."""
    values: tuple[Value, ...]
    """Globs, numbers with ranges of them, or flags, as the field's kind is."""
    target: str = ""
    """Target or device of a verdict; empty for any."""
