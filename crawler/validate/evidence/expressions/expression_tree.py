"""Nodes of the trees that host expressions are parsed into."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A literal."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Name:
    """A name, or whatever else is not looked into, by its text without blanks: `n`,
    `at::kFloat`, `x.size(0)`.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with one, two or three operands: `-`, `*`, `?`."""

    sign: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call by name; `text` is the whole of it, `receiver` what stands before the last dot."""

    callee: str
    arguments: tuple[Expression, ...]
    text: str
    receiver: str = ""


Expression = Number | Name | Operation | Call
