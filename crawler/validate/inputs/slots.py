"""Where a kernel's arguments hold pointers and numbers, whether by themselves or within structures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.elements import Element, Field, element, number, pointee, stored_element
from crawler.validate.evidence.configuration import Scalar
from crawler.validate.inputs.divisions import Part, part, part_of
from crawler.validate.inputs.layouts import NAMED_SPAN, apart, role_in
from crawler.validate.inputs.members import spoken_of, told_apart
from crawler.validate.numbers import Code, encode
from crawler.validate.simt.signature import Form, Member, ParameterType, Signature

_SHAPE: Final = re.compile(r"(?i)(?:sizes?|shape|dims?|extents?)(?:_|$|\.|\[)")
_STRIDE: Final = re.compile(r"(?i)strides?|coefficients?")
_LENGTHS: Final = re.compile(r"(?i)lengths?(?:_|$)")
"""A shape where strides stand beside it."""
_RANK: Final = re.compile(r"(?i)(?:size|ndim|rank|ndims|dims|count|n|len|length)_?$")
_ARRAY: Final = re.compile(r"(?i)(?:sizes|strides|shape|array|dims|extents)_?$")
_MOST_AXES: Final = 5
_ORDINARY_AXES: Final = 3
_AXES: Final = "xyzw"
_WORD: Final = 4
_NUMBERS: Final = (Form.BOOL, Form.SIGNED, Form.UNSIGNED, Form.FLOATING, Form.ENUMERATION)


@dataclass(frozen=True, slots=True)
class Slot:
    """A pointer among the arguments: what it points to becomes a buffer."""

    name: str
    argument: int
    at: int
    """Bytes from the begin of the argument, or of the element."""
    element: Element | None
    """`None` for a `void *` and the like."""
    is_const: bool
    inside: int = -1
    """The slot in each of whose elements it stands; -1 for one among the arguments."""


@dataclass(frozen=True, slots=True)
class Place:
    """A number among the arguments."""

    name: str
    argument: int
    at: int
    code: Code
    axis: int = -1
    """Of a shape or of strides."""
    rank: int = 0
    """How many axes there are beside it; of a number that counts them, how many it counts."""
    role: str = ""
    """`shape`, `stride`, `rank`, `one` for an axis that is not there, `pair` for one of many axes, `apart` for strides
    alone, or nothing.
    """
    span: int = 1
    """Elements that lie between strides alone at least, of each axis."""
    part: Part | None = None
    """What it is of a divisor."""
    divisor: str = ""
    """The place of that divisor."""

    @property
    def group(self) -> str:
        """The structure, or the array, that it is part of."""
        return re.sub(r"\[\d+\]$|\.[xyzw]$", "", self.name)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a kernel's arguments consist of."""

    sizes: tuple[int, ...]
    """Bytes of each argument."""
    slots: tuple[Slot, ...]
    places: tuple[Place, ...]
    spoken: Set[str] = frozenset()
    """The words of the kernel: of a union, what it speaks of has a value."""
    strided: Set[str] = frozenset()
    """The parameters that hold strides and nothing else, as the name of their type says."""

    def scalars(self) -> list[Scalar]:
        """Return what is to be given a value."""
        return [
            Scalar(name=each.name, is_real=each.code.is_real, is_bool=each.code is Code.BOOL, axis=each.axis)
            for each in self.places
            if each.role not in ("stride", "rank", "one", "pair", "apart") and each.part is None
        ]

    def packed(self, values: Mapping[str, int | float]) -> tuple[bytes, ...]:
        """Return the bytes of each argument, in which pointers are null."""
        contents = [bytearray(size) for size in self.sizes]
        complete = {**values, **self._strides(values)}
        for place in self.places:
            far = apart(place.axis, place.rank, place.span)
            fixed = {"rank": place.rank, "one": 1, "pair": 2, "apart": far}.get(place.role)
            value = complete.get(place.name, 0) if fixed is None else fixed
            if place.part is not None:
                value = part(place.part, int(complete.get(place.divisor, 1)))
            contents[place.argument][place.at : place.at + place.code.size] = encode(place.code, [value])
        return tuple(bytes(each) for each in contents)

    def _strides(self, values: Mapping[str, int | float]) -> dict[str, int]:
        """Return strides: of arrays the last axis is dense, of x, y, z, w the first; apart where no shape is beside."""
        found: dict[str, int] = {}
        for place in self.places:
            if place.role == "stride":
                shape = self._shape_beside(place, values)
                if not shape:
                    found[place.name] = apart(place.axis, place.rank)
                    continue
                inner = shape[: place.axis] if place.name[-1] in _AXES else shape[place.axis + 1 :]
                value = 1
                for each in inner:
                    value *= max(1, each)
                found[place.name] = min(value, 1 << 24)
        return found

    def _shape_beside(self, stride: Place, values: Mapping[str, int | float]) -> list[int]:
        """Return the shape that goes with a stride: of the same argument and rank, the likest by name; or none."""
        shapes = [each for each in self.places if each.role in ("shape", "one") and each.argument == stride.argument]
        groups = dict.fromkeys(each.group for each in shapes if each.rank == stride.rank)
        stem = _STRIDE.sub("", stride.group).lower()
        owner = _parent(stride.group)
        best = max(
            groups,
            key=lambda group: (_parent(group) == owner, _SHAPE.sub("", group).lower() == stem, group),
            default="",
        )
        return [int(values.get(each.name, 1)) for each in shapes if each.group == best]


def layout(
    signature: Signature, names: Sequence[str], spoken: Set[str] = frozenset(), strided: Set[str] = frozenset()
) -> Layout:
    """Return the layout of a kernel's arguments, which go by `names`; the kernel's own words are `spoken`.

    Of structures that are `strided` each whole number is a stride.
    """
    slots: list[Slot] = []
    places: list[Place] = []
    for at, kind in enumerate(signature):
        name = names[at] if at < len(names) and names[at] else f"argument{at}"
        if kind.form is Form.POINTER:
            _pointer(name, at, 0, kind, slots)
        elif kind.form in _NUMBERS:
            places.append(Place(name, at, 0, number(kind.form, kind.size)))
        else:
            held: list[Place] = []
            _structure(name, at, kind, spoken, slots, held)
            places += _as_strides(held) if name in strided else held
    return Layout(tuple(kind.size for kind in signature), tuple(slots), tuple(places), spoken, strided)


def _as_strides(places: Sequence[Place]) -> Iterator[Place]:
    for at, each in enumerate(places):
        yield replace(each, axis=at, rank=len(places), role="apart", part=None, span=NAMED_SPAN)


def _pointer(name: str, argument: int, at: int, kind: ParameterType, slots: list[Slot]) -> None:
    """Add what a pointer points to, and what the pointers in that point to."""
    owner, of = len(slots), pointee(kind)
    if of and kind.pointee is Form.POINTER:
        slots.append(Slot(name, argument, at, Element(of.name, of.size, Code.U8, ()), kind.is_const))
        slots.append(
            Slot(f"{name}[]", argument, 0, stored_element(of.name.rpartition("*")[0].strip(), 0), False, owner)
        )
        return
    record = _record(kind)
    slots.append(Slot(name, argument, at, record or of, kind.is_const))
    if record:
        for member in kind.beyond:
            if member.type.form is Form.POINTER:
                for number_, place in _each(member):
                    whole = f"{name}.{member.name}" + (f"[{number_}]" if member.count > 1 else "")
                    slots.append(Slot(whole, argument, place, pointee(member.type), member.type.is_const, owner))


def _record(kind: ParameterType) -> Element | None:
    """Return the structure that a pointer points at by its numbers, where these are not alike or it has pointers."""
    leaves = [each for each in kind.beyond if each.type.form is not Form.CLASS]
    forms = {(each.type.form, each.type.size) for each in leaves}
    of = pointee(kind)
    if of is None or (len(forms) < 2 and not any(form is Form.POINTER for form, _ in forms)):
        return None
    fields = tuple(
        Field(each.name, at, number(each.type.form, each.type.size))
        for each in leaves
        if each.type.form in _NUMBERS
        for _, at in _each(each)
    )
    return Element(of.name, of.size, Code.U8, fields)


def _structure(
    name: str, argument: int, kind: ParameterType, spoken: Set[str], slots: list[Slot], places: list[Place]
) -> None:
    known = element(kind.type, kind.form, kind.size)
    if not kind.members or _is_number(kind.type):
        places += _numbers_of(name, argument, 0, known)
        return
    members = told_apart(spoken_of(kind.members, spoken))
    for member in members:
        whole = f"{name}.{member.name}"
        for number_, at in _each(member):
            if member.type.form is Form.POINTER:
                _pointer(whole if member.count == 1 else f"{whole}[{number_}]", argument, at, member.type, slots)
            elif member.type.form in _NUMBERS:
                places.append(_place(whole, argument, at, member, number_, members, kind.type))


def _is_number(name: str) -> bool:
    return bool(re.search(r"(?i)half|bfloat|float8|fp8|complex|e4m3|e5m2", name)) and "<" not in name.replace(
        "complex<", ""
    )


def _numbers_of(name: str, argument: int, at: int, of: Element) -> Iterator[Place]:
    count = max(1, of.size // of.code.size)
    for each in range(count):
        yield Place(name if count == 1 else f"{name}[{each}]", argument, at + each * of.code.size, of.code)


def _each(member: Member) -> Iterator[tuple[int, int]]:
    for number_ in range(member.count):
        yield number_, member.offset + number_ * member.type.size


def _place(
    whole: str, argument: int, at: int, member: Member, number_: int, members: Sequence[Member], type_: str
) -> Place:
    code = number(member.type.form, member.type.size)
    name = whole if member.count == 1 else f"{whole}[{number_}]"
    if code.is_real:
        return Place(name, argument, at, code)
    divisor, kind = part_of(member.name, _beside(member, members))
    if kind is not None and code.size == _WORD:
        prefix = whole.removesuffix(member.name)
        index = name.removeprefix(whole)
        return Place(name, argument, at, code, part=kind, divisor=f"{prefix}{divisor}{index}")
    role, at_stride, strides, span = role_in(member, number_, members, type_)
    if role:
        return Place(name, argument, at, code, at_stride, strides, role, span)
    axis, rank = _axis(member, number_, members)
    if axis >= 0:
        has_strides = any(_STRIDE.search(each) for each in _beside(member, members))
        is_shape = _SHAPE.search(whole) or (has_strides and _LENGTHS.search(whole))
        role = "stride" if _STRIDE.search(whole) else "shape" if is_shape else ""
        if role == "shape" and axis >= _used_axes(rank):
            role = "one"
        return Place(name, argument, at, code, axis, rank, role)
    arrays = {each.count for each in members if _is_array(each) and _parent(each.name) == _parent(member.name)}
    if len(arrays) == 1 and _RANK.search(member.name):
        return Place(name, argument, at, code, -1, _used_axes(arrays.pop()), "rank")
    return Place(name, argument, at, code)


def _beside(member: Member, members: Sequence[Member]) -> list[str]:
    """Return the numbers of one structure, and of each as many as of this one."""
    owner = _parent(member.name)
    return [
        each.name
        for each in members
        if each.type.form in _NUMBERS and each.count == member.count and _parent(each.name) == owner
    ]


def _used_axes(room: int) -> int:
    """Return how many axes a shape has: all that there is room for, unless that is room for any number of them."""
    return room if room <= _MOST_AXES else _ORDINARY_AXES


def _axis(member: Member, number_: int, members: Sequence[Member]) -> tuple[int, int]:
    """Return which axis of how many a number is: of an array, or among x, y, z, w of a vector."""
    if _is_array(member):
        return number_, member.count
    parent, last = _parent(member.name), member.name.rpartition(".")[2]
    if parent and last in _AXES:
        beside = sum(_parent(each.name) == parent and each.name.rpartition(".")[2] in _AXES for each in members)
        return _AXES.index(last), beside
    return -1, 0


def _is_array(member: Member) -> bool:
    """Tell whether a member is an array, or would be one if there were more axes."""
    return member.type.form in _NUMBERS and (member.count > 1 or bool(_ARRAY.search(member.name)))


def _parent(name: str) -> str:
    return name.rpartition(".")[0]
