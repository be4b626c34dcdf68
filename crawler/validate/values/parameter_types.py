"""Parameter types of kernels as the compiler lays them out, read from a program's description
of itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_TYPE_NAME_MARK: Final = "[T = "
"""What clang's `__PRETTY_FUNCTION__` has in front of a template argument."""
# a program's description of its kernels, as `program_source` has it print them: a field a blank
_PARAMETER: Final = re.compile(
    r"(?P<kind>[pbsufec]) (?P<size>\d{1,9}) (?P<alignment>\d{1,9})"
    r" (?P<pointee_kind>[pbsufecv-]) (?P<pointee_size>\d{1,9}) (?P<is_const>[01])"
    r" (?P<function>.*)"
)
# its line for a structure that a constructor makes
_CONSTRUCTION: Final = re.compile(
    r"(?P<parameter>\d{1,3}) (?P<first>\d{1,3}) (?P<count>\d{1,3}) (?P<names>[\w ]*)"
)
# its line for a member of a structure
_MEMBER: Final = re.compile(
    r"(?P<offset>\d{1,9}) (?P<count>\d{1,9}) (?P<name>[\w.]*) (?P<type>.*)"
)
_MAX_MEMBERS: Final = 512


def parse_signatures(description: str) -> tuple[Signature, ...]:
    """Return the signature of each entry, from what a program says of itself; empty for one
    that it does not hold.
    """
    entries: list[list[ParameterType]] = []

    for line in description.splitlines():
        word, _, text = line.partition(" ")
        if word == "entry":
            entries.append([])
            continue

        # a kernel may print what it likes before
        if not entries:
            continue

        parameters = entries[-1]

        if word == "parameter":
            parameter = _parse_parameter(text)
            if parameter is not None:
                parameters.append(parameter)
        elif word in ("member", "beyond") and parameters:
            is_of_pointee = word == "beyond"
            parameters[-1] = _add_member(parameters[-1], text, is_of_pointee)
        elif word == "made":
            entries[-1] = _mark_constructed(parameters, text)

    return tuple(tuple(parameters) for parameters in entries)


def _mark_constructed(
    parameters: list[ParameterType], text: str
) -> list[ParameterType]:
    """Return what an entry takes, with the parameter of the kernel that some of it is made into."""
    construction = _CONSTRUCTION.fullmatch(text)
    if construction is None:
        return parameters

    first = int(construction["first"])
    last = first + int(construction["count"])
    names = construction["names"].split()
    constructed = [
        replace(
            parameter, name=name, constructed_parameter=int(construction["parameter"])
        )
        for parameter, name in zip(parameters[first:last], names, strict=False)
    ]

    behind = parameters[first + len(constructed) :]

    return [*parameters[:first], *constructed, *behind]


def list_argument_names(
    signature: Signature, parameter_names: Sequence[str]
) -> list[str]:
    """Return what goes by which name among what an entry takes; the kernel's own parameters go
    by `parameter_names`.
    """
    names: list[str] = []
    position = 0

    for parameter in signature:
        if parameter.constructed_parameter >= 0:
            names.append(parameter.name)
            position = parameter.constructed_parameter + 1
            continue

        is_named = position < len(parameter_names)
        names.append(parameter_names[position] if is_named else "")
        position += 1

    return names


def list_argument_positions(signature: Signature) -> list[int]:
    """Return of each parameter of the kernel where it stands among what an entry takes; -1 for
    one that is made.
    """
    positions: list[int] = []

    for position, parameter in enumerate(signature):
        if parameter.constructed_parameter < 0:
            positions.append(position)
        elif len(positions) <= parameter.constructed_parameter:
            positions.append(-1)

    return positions


def _add_member(owner: ParameterType, text: str, is_of_pointee: bool) -> ParameterType:
    match = _MEMBER.fullmatch(text)
    if match is None:
        return owner

    member_type = _parse_parameter(match["type"])
    member_count = len(owner.members) + len(owner.pointee_members)
    if member_type is None or member_count >= _MAX_MEMBERS:
        return owner

    member = StructureMember(
        name=match["name"],
        offset=int(match["offset"]),
        count=int(match["count"]),
        type=member_type,
    )

    if is_of_pointee:
        return replace(owner, pointee_members=(*owner.pointee_members, member))

    return replace(owner, members=(*owner.members, member))


def _parse_parameter(text: str) -> ParameterType | None:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        return None

    type_name = match["function"].partition(_TYPE_NAME_MARK)[2].removesuffix("]")

    return ParameterType(
        kind=TypeKind(match["kind"]),
        size=int(match["size"]),
        alignment=int(match["alignment"]),
        pointee_kind=TypeKind(match["pointee_kind"]),
        pointee_size=int(match["pointee_size"]),
        is_const=match["is_const"] == "1",
        type_name=type_name,
    )
