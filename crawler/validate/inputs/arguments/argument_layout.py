"""Layout of a kernel's arguments: the pointers and numbers in them, also within structures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.evidence.launch_configuration import ScalarParameter
from crawler.validate.inputs.arguments.fast_divisors import (
    DivisorPart,
    compute_divisor_part,
    find_divisor,
)
from crawler.validate.inputs.arguments.shape_stride_layouts import (
    DEFAULT_SPAN,
    classify_layout_member,
    compute_stride,
)
from crawler.validate.inputs.arguments.structure_members import (
    disambiguate_members,
    drop_overlapping_members,
)
from crawler.validate.values.element_types import (
    ElementType,
    RecordField,
    parse_element_type,
    resolve_element_type,
    resolve_pointee,
    select_scalar_type,
)
from crawler.validate.values.parameter_types import (
    ParameterType,
    Signature,
    StructureMember,
    TypeKind,
)
from crawler.validate.values.scalar_types import ScalarType, encode

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
_NUMBERS: Final = (
    TypeKind.BOOL,
    TypeKind.SIGNED,
    TypeKind.UNSIGNED,
    TypeKind.FLOATING,
    TypeKind.ENUMERATION,
)


@dataclass(frozen=True, slots=True)
class BufferSlot:
    """A pointer among the arguments: what it points to becomes a buffer."""

    name: str
    argument: int
    offset: int
    """Bytes from the begin of the argument, or of the element."""
    element: ElementType | None
    """`None` for a `void *` and the like."""
    is_const: bool
    parent_slot: int = -1
    """The slot in each of whose elements it stands; -1 for one among the arguments."""


@dataclass(frozen=True, slots=True)
class ScalarSlot:
    """A number among the arguments."""

    name: str
    argument: int
    offset: int
    scalar: ScalarType
    axis: int = -1
    """Of a shape or of strides."""
    rank: int = 0
    """How many axes there are beside it; of a number that counts them, how many it counts."""
    role: str = ""
    """`shape`, `stride`, `rank`, `one` for an axis that is not there, `pair` for one of many
    axes, `apart` for strides
    alone, or nothing.
    """
    span: int = 1
    """Elements that lie between strides alone at least, of each axis."""
    divisor_part: DivisorPart | None = None
    """What it is of a divisor."""
    divisor: str = ""
    """The place of that divisor."""

    @property
    def group(self) -> str:
        """The structure, or the array, that it is part of."""
        return re.sub(r"\[\d+\]$|\.[xyzw]$", "", self.name)


@dataclass(frozen=True, slots=True)
class ArgumentLayout:
    """What a kernel's arguments consist of."""

    argument_sizes: tuple[int, ...]
    """Bytes of each argument."""
    buffer_slots: tuple[BufferSlot, ...]
    scalar_slots: tuple[ScalarSlot, ...]
    kernel_words: Set[str] = frozenset()
    """The words of the kernel: of a union, what it speaks of has a value."""
    stride_parameters: Set[str] = frozenset()
    """The parameters that hold strides and nothing else, as the name of their type says."""

    def list_free_scalars(self) -> list[ScalarParameter]:
        """Return what is to be given a value."""
        return [
            ScalarParameter(
                name=each.name,
                is_real=each.scalar.is_real,
                is_bool=each.scalar is ScalarType.BOOL,
                axis=each.axis,
            )
            for each in self.scalar_slots
            if each.role not in ("stride", "rank", "one", "pair", "apart")
            and each.divisor_part is None
        ]

    def pack_arguments(self, values: Mapping[str, int | float]) -> tuple[bytes, ...]:
        """Return the bytes of each argument, in which pointers are null."""
        contents = [bytearray(size) for size in self.argument_sizes]
        complete = {**values, **self._strides(values)}
        for place in self.scalar_slots:
            far = compute_stride(place.axis, place.rank, place.span)
            fixed = {"rank": place.rank, "one": 1, "pair": 2, "apart": far}.get(
                place.role
            )
            value = complete.get(place.name, 0) if fixed is None else fixed
            if place.divisor_part is not None:
                value = compute_divisor_part(
                    place.divisor_part, int(complete.get(place.divisor, 1))
                )
            contents[place.argument][
                place.offset : place.offset + place.scalar.size
            ] = encode(place.scalar, [value])
        return tuple(bytes(each) for each in contents)

    def _strides(self, values: Mapping[str, int | float]) -> dict[str, int]:
        """Return strides: of arrays the last axis is dense, of x, y, z, w the first; apart
        where no shape is beside.
        """
        found: dict[str, int] = {}
        for place in self.scalar_slots:
            if place.role == "stride":
                shape = self._shape_beside(place, values)
                if not shape:
                    found[place.name] = compute_stride(place.axis, place.rank)
                    continue
                inner = (
                    shape[: place.axis]
                    if place.name[-1] in _AXES
                    else shape[place.axis + 1 :]
                )
                value = 1
                for each in inner:
                    value *= max(1, each)
                found[place.name] = min(value, 1 << 24)
        return found

    def _shape_beside(
        self, stride: ScalarSlot, values: Mapping[str, int | float]
    ) -> list[int]:
        """Return the shape that goes with a stride: of the same argument and rank, the likest
        by name; or none.
        """
        shapes = [
            each
            for each in self.scalar_slots
            if each.role in ("shape", "one") and each.argument == stride.argument
        ]
        groups = dict.fromkeys(
            each.group for each in shapes if each.rank == stride.rank
        )
        stem = _STRIDE.sub("", stride.group).lower()
        owner = _parent(stride.group)
        best = max(
            groups,
            key=lambda group: (
                _parent(group) == owner,
                _SHAPE.sub("", group).lower() == stem,
                group,
            ),
            default="",
        )
        return [int(values.get(each.name, 1)) for each in shapes if each.group == best]


def build_argument_layout(
    signature: Signature,
    parameter_names: Sequence[str],
    kernel_words: Set[str] = frozenset(),
    stride_parameters: Set[str] = frozenset(),
) -> ArgumentLayout:
    """Return the layout of a kernel's arguments, which go by `parameter_names`; the kernel's
    own words are `kernel_words`.

    Of structures that are `stride_parameters` each whole number is a stride.
    """
    slots: list[BufferSlot] = []
    places: list[ScalarSlot] = []
    for at, kind in enumerate(signature):
        name = (
            parameter_names[at]
            if at < len(parameter_names) and parameter_names[at]
            else f"argument{at}"
        )
        if kind.kind is TypeKind.POINTER:
            _pointer(name, at, 0, kind, slots)
        elif kind.kind in _NUMBERS:
            places.append(
                ScalarSlot(name, at, 0, select_scalar_type(kind.kind, kind.size))
            )
        else:
            held: list[ScalarSlot] = []
            _structure(name, at, kind, kernel_words, slots, held)
            places += _as_strides(held) if name in stride_parameters else held
    return ArgumentLayout(
        tuple(kind.size for kind in signature),
        tuple(slots),
        tuple(places),
        kernel_words,
        stride_parameters,
    )


def _as_strides(places: Sequence[ScalarSlot]) -> Iterator[ScalarSlot]:
    for at, each in enumerate(places):
        yield replace(
            each,
            axis=at,
            rank=len(places),
            role="apart",
            divisor_part=None,
            span=DEFAULT_SPAN,
        )


def _pointer(
    name: str, argument: int, at: int, kind: ParameterType, slots: list[BufferSlot]
) -> None:
    """Add what a pointer points to, and what the pointers in that point to."""
    owner, of = len(slots), resolve_pointee(kind)
    if of and kind.pointee_kind is TypeKind.POINTER:
        slots.append(
            BufferSlot(
                name,
                argument,
                at,
                ElementType(of.name, of.size, ScalarType.U8, ()),
                kind.is_const,
            )
        )
        slots.append(
            BufferSlot(
                f"{name}[]",
                argument,
                0,
                parse_element_type(of.name.rpartition("*")[0].strip(), 0),
                False,
                owner,
            )
        )
        return
    record = _record(kind)
    slots.append(BufferSlot(name, argument, at, record or of, kind.is_const))
    if record:
        for member in kind.pointee_members:
            if member.type.kind is TypeKind.POINTER:
                for number_, place in _each(member):
                    whole = f"{name}.{member.name}" + (
                        f"[{number_}]" if member.count > 1 else ""
                    )
                    slots.append(
                        BufferSlot(
                            whole,
                            argument,
                            place,
                            resolve_pointee(member.type),
                            member.type.is_const,
                            owner,
                        )
                    )


def _record(kind: ParameterType) -> ElementType | None:
    """Return the structure that a pointer points at by its numbers, where these are not alike
    or it has pointers.
    """
    leaves = [
        each for each in kind.pointee_members if each.type.kind is not TypeKind.CLASS
    ]
    forms = {(each.type.kind, each.type.size) for each in leaves}
    of = resolve_pointee(kind)
    if of is None or (
        len(forms) < 2 and not any(form is TypeKind.POINTER for form, _ in forms)
    ):
        return None
    fields = tuple(
        RecordField(each.name, at, select_scalar_type(each.type.kind, each.type.size))
        for each in leaves
        if each.type.kind in _NUMBERS
        for _, at in _each(each)
    )
    return ElementType(of.name, of.size, ScalarType.U8, fields)


def _structure(
    name: str,
    argument: int,
    kind: ParameterType,
    spoken: Set[str],
    slots: list[BufferSlot],
    places: list[ScalarSlot],
) -> None:
    known = resolve_element_type(kind.type_name, kind.kind, kind.size)
    if not kind.members or _is_number(kind.type_name):
        places += _numbers_of(name, argument, 0, known)
        return
    members = disambiguate_members(drop_overlapping_members(kind.members, spoken))
    for member in members:
        whole = f"{name}.{member.name}"
        for number_, at in _each(member):
            if member.type.kind is TypeKind.POINTER:
                _pointer(
                    whole if member.count == 1 else f"{whole}[{number_}]",
                    argument,
                    at,
                    member.type,
                    slots,
                )
            elif member.type.kind in _NUMBERS:
                places.append(
                    _place(
                        whole, argument, at, member, number_, members, kind.type_name
                    )
                )


def _is_number(name: str) -> bool:
    return bool(
        re.search(r"(?i)half|bfloat|float8|fp8|complex|e4m3|e5m2", name)
    ) and "<" not in name.replace("complex<", "")


def _numbers_of(
    name: str, argument: int, at: int, of: ElementType
) -> Iterator[ScalarSlot]:
    count = max(1, of.size // of.scalar.size)
    for each in range(count):
        yield ScalarSlot(
            name if count == 1 else f"{name}[{each}]",
            argument,
            at + each * of.scalar.size,
            of.scalar,
        )


def _each(member: StructureMember) -> Iterator[tuple[int, int]]:
    for number_ in range(member.count):
        yield number_, member.offset + number_ * member.type.size


def _place(
    whole: str,
    argument: int,
    at: int,
    member: StructureMember,
    number_: int,
    members: Sequence[StructureMember],
    type_: str,
) -> ScalarSlot:
    code = select_scalar_type(member.type.kind, member.type.size)
    name = whole if member.count == 1 else f"{whole}[{number_}]"
    if code.is_real:
        return ScalarSlot(name, argument, at, code)
    divisor, kind = find_divisor(member.name, _beside(member, members))
    if kind is not None and code.size == _WORD:
        prefix = whole.removesuffix(member.name)
        index = name.removeprefix(whole)
        return ScalarSlot(
            name,
            argument,
            at,
            code,
            divisor_part=kind,
            divisor=f"{prefix}{divisor}{index}",
        )
    role, at_stride, strides, span = classify_layout_member(
        member, number_, members, type_
    )
    if role:
        return ScalarSlot(name, argument, at, code, at_stride, strides, role, span)
    axis, rank = _axis(member, number_, members)
    if axis >= 0:
        has_strides = any(_STRIDE.search(each) for each in _beside(member, members))
        is_shape = _SHAPE.search(whole) or (has_strides and _LENGTHS.search(whole))
        role = "stride" if _STRIDE.search(whole) else "shape" if is_shape else ""
        if role == "shape" and axis >= _used_axes(rank):
            role = "one"
        return ScalarSlot(name, argument, at, code, axis, rank, role)
    arrays = {
        each.count
        for each in members
        if _is_array(each) and _parent(each.name) == _parent(member.name)
    }
    if len(arrays) == 1 and _RANK.search(member.name):
        return ScalarSlot(
            name, argument, at, code, -1, _used_axes(arrays.pop()), "rank"
        )
    return ScalarSlot(name, argument, at, code)


def _beside(member: StructureMember, members: Sequence[StructureMember]) -> list[str]:
    """Return the numbers of one structure, and of each as many as of this one."""
    owner = _parent(member.name)
    return [
        each.name
        for each in members
        if each.type.kind in _NUMBERS
        and each.count == member.count
        and _parent(each.name) == owner
    ]


def _used_axes(room: int) -> int:
    """Return how many axes a shape has: all that there is room for, unless that is room for any
    number of them.
    """
    return room if room <= _MOST_AXES else _ORDINARY_AXES


def _axis(
    member: StructureMember, number_: int, members: Sequence[StructureMember]
) -> tuple[int, int]:
    """Return which axis of how many a number is: of an array, or among x, y, z, w of a vector."""
    if _is_array(member):
        return number_, member.count
    parent, last = _parent(member.name), member.name.rpartition(".")[2]
    if parent and last in _AXES:
        beside = sum(
            _parent(each.name) == parent and each.name.rpartition(".")[2] in _AXES
            for each in members
        )
        return _AXES.index(last), beside
    return -1, 0


def _is_array(member: StructureMember) -> bool:
    """Tell whether a member is an array, or would be one if there were more axes."""
    return member.type.kind in _NUMBERS and (
        member.count > 1 or bool(_ARRAY.search(member.name))
    )


def _parent(name: str) -> str:
    return name.rpartition(".")[0]
