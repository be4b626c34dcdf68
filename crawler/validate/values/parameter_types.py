"""Parameter types of kernels as the compiler lays them out, read from a program's description
of itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final


class TypeKind(StrEnum):
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
class StructureMember:
    """What lies in a structure that is passed by value, at any depth; structures within it come
    before their own.
    """

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

    kind: TypeKind
    size: int
    """Bytes."""
    alignment: int
    type_name: str
    """Canonical name."""
    pointee_kind: TypeKind = TypeKind.NONE
    pointee_size: int = 0
    """Bytes; 0 for what has no size."""
    is_const: bool = False
    """Whether what it points at may not be written."""
    members: tuple[StructureMember, ...] = ()
    """Of a class, where the compiler could tell."""
    pointee_members: tuple[StructureMember, ...] = ()
    """Of the class that it points at."""
    name: str = ""
    """Of what a constructor takes; empty for a parameter of the kernel."""
    constructed_parameter: int = -1
    """The parameter of the kernel that a constructor makes of it; -1 for one that is given as
    it is.
    """


Signature = tuple[ParameterType, ...]
_NAMED: Final = "[T = "
_PARAMETER: Final = re.compile(
    r"([pbsufec]) (\d{1,9}) (\d{1,9}) ([pbsufecv-]) (\d{1,9}) ([01]) (.*)"
)
_MADE: Final = re.compile(r"(\d{1,3}) (\d{1,3}) (\d{1,3}) ([\w ]*)")
_MEMBER: Final = re.compile(r"(\d{1,9}) (\d{1,9}) ([\w.]*) (.*)")
_MOST_MEMBERS: Final = 512


def parse_signatures(description: str) -> tuple[Signature, ...]:
    """Return the signature of each entry, from what a program says of itself; empty for one
    that it does not hold.
    """
    entries: list[list[ParameterType]] = []
    for line in description.splitlines():
        word, _, rest = line.partition(" ")
        if word == "entry":
            entries.append([])
        elif word == "parameter" and entries:
            entries[-1].extend(_parameter(rest))
        elif word in ("member", "beyond") and entries and entries[-1]:
            entries[-1][-1] = _with_member(
                entries[-1][-1], rest, beyond=word == "beyond"
            )
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
    made = [
        replace(each, name=name, constructed_parameter=into) for each, name in named
    ]
    return [*taken[:first], *made, *taken[first + len(made) :]]


def list_argument_names(
    signature: Signature, parameter_names: Sequence[str]
) -> list[str]:
    """Return what goes by which name among what an entry takes; the kernel's own parameters go
    by `parameter_names`.
    """
    found: list[str] = []
    at = 0
    for each in signature:
        given = parameter_names[at] if at < len(parameter_names) else ""
        found.append(given if each.constructed_parameter < 0 else each.name)
        at = (at if each.constructed_parameter < 0 else each.constructed_parameter) + 1
    return found


def list_argument_positions(signature: Signature) -> list[int]:
    """Return of each parameter of the kernel where it stands among what an entry takes; -1 for
    one that is made.
    """
    found: list[int] = []
    for at, each in enumerate(signature):
        if each.constructed_parameter < 0:
            found.append(at)
        elif len(found) <= each.constructed_parameter:
            found.append(-1)
    return found


def _with_member(owner: ParameterType, text: str, *, beyond: bool) -> ParameterType:
    found = _MEMBER.fullmatch(text)
    kind = next(_parameter(found[4]), None) if found else None
    if (
        found is None
        or kind is None
        or len(owner.members) + len(owner.pointee_members) >= _MOST_MEMBERS
    ):
        return owner
    member = StructureMember(
        name=found[3], offset=int(found[1]), count=int(found[2]), type=kind
    )
    if beyond:
        return replace(owner, pointee_members=(*owner.pointee_members, member))
    return replace(owner, members=(*owner.members, member))


def _parameter(text: str) -> Iterator[ParameterType]:
    found = _PARAMETER.fullmatch(text)
    if found:
        form, size, alignment, pointee, pointee_size, is_const, named = found.groups()
        yield ParameterType(
            kind=TypeKind(form),
            size=int(size),
            alignment=int(alignment),
            pointee_kind=TypeKind(pointee),
            pointee_size=int(pointee_size),
            is_const=is_const == "1",
            type_name=named.partition(_NAMED)[2].removesuffix("]"),
        )
