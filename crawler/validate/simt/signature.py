"""What a kernel's parameters are, as its own program says: the compiler's layouts, not a guess from their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final


class Form(StrEnum):
    """What kind of type a parameter, or what it points at, has."""

    POINTER = "p"
    BOOL = "b"
    SIGNED = "s"
    UNSIGNED = "u"
    FLOATING = "f"
    ENUMERATION = "e"
    CLASS = "c"
    VOID = "v"
    NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What lies in a structure that is passed by value, at any depth; structures within it come before their own."""

    name: str
    """With the names of what it lies in: `shape.x`."""
    offset: int
    """Bytes from the structure's begin."""
    count: int
    """Of an array; 1 for all else."""
    type: ParameterType


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterType:
    """A parameter's type as it is laid out on this machine."""

    form: Form
    size: int
    """Bytes."""
    alignment: int
    type: str
    """Canonical name."""
    pointee: Form = Form.NONE
    pointee_size: int = 0
    """Bytes; 0 for what has no size."""
    is_const: bool = False
    """Whether what it points at may not be written."""
    members: tuple[Member, ...] = ()
    """Of a class, where the compiler could tell."""
    beyond: tuple[Member, ...] = ()
    """Of the class that it points at."""
    name: str = ""
    """Of what a constructor takes; empty for a parameter of the kernel."""
    into: int = -1
    """The parameter of the kernel that a constructor makes of it; -1 for one that is given as it is."""


Signature = tuple[ParameterType, ...]
_NAMED: Final = "[T = "
_PARAMETER: Final = re.compile(r"([pbsufec]) (\d{1,9}) (\d{1,9}) ([pbsufecv-]) (\d{1,9}) ([01]) (.*)")
_MADE: Final = re.compile(r"(\d{1,3}) (\d{1,3}) (\d{1,3}) ([\w ]*)")
_MEMBER: Final = re.compile(r"(\d{1,9}) (\d{1,9}) ([\w.]*) (.*)")
_MOST_MEMBERS: Final = 512


def signatures(described: str) -> tuple[Signature, ...]:
    """Return the signature of each entry, from what a program says of itself; empty for one that it does not hold."""
    entries: list[list[ParameterType]] = []
    for line in described.splitlines():
        word, _, rest = line.partition(" ")
        if word == "entry":
            entries.append([])
        elif word == "parameter" and entries:
            entries[-1].extend(_parameter(rest))
        elif word in ("member", "beyond") and entries and entries[-1]:
            entries[-1][-1] = _with_member(entries[-1][-1], rest, beyond=word == "beyond")
        elif word == "made" and entries:
            entries[-1] = _with_making(entries[-1], rest)
    return tuple(tuple(each) for each in entries)


def _with_making(taken: list[ParameterType], text: str) -> list[ParameterType]:
    """Return what an entry takes, with the parameter of the kernel that some of it is made into."""
    found = _MADE.fullmatch(text)
    if found is None:
        return taken
    into, first, count = (int(found[at]) for at in (1, 2, 3))
    named = zip(taken[first : first + count], found[4].split(), strict=False)
    made = [replace(each, name=name, into=into) for each, name in named]
    return [*taken[:first], *made, *taken[first + len(made) :]]


def names_of(signature: Signature, names: Sequence[str]) -> list[str]:
    """Return what goes by which name among what an entry takes; the kernel's own parameters go by `names`."""
    found: list[str] = []
    at = 0
    for each in signature:
        given = names[at] if at < len(names) else ""
        found.append(given if each.into < 0 else each.name)
        at = (at if each.into < 0 else each.into) + 1
    return found


def given(signature: Signature) -> list[int]:
    """Return of each parameter of the kernel where it stands among what an entry takes; -1 for one that is made."""
    found: list[int] = []
    for at, each in enumerate(signature):
        if each.into < 0:
            found.append(at)
        elif len(found) <= each.into:
            found.append(-1)
    return found


def _with_member(owner: ParameterType, text: str, *, beyond: bool) -> ParameterType:
    found = _MEMBER.fullmatch(text)
    kind = next(_parameter(found[4]), None) if found else None
    if found is None or kind is None or len(owner.members) + len(owner.beyond) >= _MOST_MEMBERS:
        return owner
    member = Member(name=found[3], offset=int(found[1]), count=int(found[2]), type=kind)
    if beyond:
        return replace(owner, beyond=(*owner.beyond, member))
    return replace(owner, members=(*owner.members, member))


def _parameter(text: str) -> Iterator[ParameterType]:
    found = _PARAMETER.fullmatch(text)
    if found:
        form, size, alignment, pointee, pointee_size, is_const, named = found.groups()
        yield ParameterType(
            form=Form(form),
            size=int(size),
            alignment=int(alignment),
            pointee=Form(pointee),
            pointee_size=int(pointee_size),
            is_const=is_const == "1",
            type=named.partition(_NAMED)[2].removesuffix("]"),
        )
