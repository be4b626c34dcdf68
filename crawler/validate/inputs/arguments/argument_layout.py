"""Layout of a kernel's arguments: the pointers and numbers in them, also within structures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from crawler.validate.evidence.launch_configuration import ScalarParameter
from crawler.validate.inputs.arguments.argument_slots import (
    BufferSlot,
    ScalarSlot,
    element_name,
    parent_name,
)
from crawler.validate.inputs.arguments.fast_divisors import compute_divisor_part
from crawler.validate.inputs.arguments.pointer_slots import (
    NUMBER_KINDS,
    append_pointer_slots,
    iter_elements,
)
from crawler.validate.inputs.arguments.scalar_slots import (
    AXIS_LETTERS,
    SHAPE_NAME,
    STRIDE_NAME,
    build_member_slot,
    is_number_type,
    iter_number_slots,
)
from crawler.validate.inputs.arguments.shape_stride_layouts import (
    DEFAULT_SPAN,
    compute_stride,
)
from crawler.validate.inputs.arguments.structure_members import (
    disambiguate_members,
    drop_overlapping_members,
)
from crawler.validate.values.element_types import (
    resolve_element_type,
    select_scalar_type,
)
from crawler.validate.values.parameter_types import ParameterType, Signature, TypeKind
from crawler.validate.values.scalar_types import ScalarType, encode

_DERIVED_ROLES: Final = frozenset({"stride", "rank", "one", "pair", "apart"})
"""Roles of numbers whose value follows from others, or from the layout."""
_MAX_STRIDE: Final = 1 << 24


@dataclass(frozen=True)
class ArgumentLayout:
    """What a kernel's arguments consist of."""

    argument_sizes: tuple[int, ...]
    """Bytes of each argument."""
    buffer_slots: tuple[BufferSlot, ...]
    scalar_slots: tuple[ScalarSlot, ...]
    kernel_words: Set[str] = frozenset()
    """The words of the kernel: of a union, the members that it names have a value."""
    stride_parameters: Set[str] = frozenset()
    """The parameters that hold strides and nothing else, as the name of their type says."""

    def list_free_scalars(self) -> list[ScalarParameter]:
        """Return the numbers that need a value, because no other number implies it."""
        free_slots = [
            slot
            for slot in self.scalar_slots
            if slot.role not in _DERIVED_ROLES and slot.divisor_part is None
        ]

        return [
            ScalarParameter(
                name=slot.name,
                is_real=slot.scalar.is_real,
                is_bool=slot.scalar is ScalarType.BOOL,
                axis=slot.axis,
            )
            for slot in free_slots
        ]

    def pack_arguments(self, values: Mapping[str, int | float]) -> tuple[bytes, ...]:
        """Return the bytes of each argument, in which pointers are null."""
        contents = [bytearray(size) for size in self.argument_sizes]
        all_values = {**values, **self._compute_strides(values)}

        for slot in self.scalar_slots:
            value = _slot_value(slot, all_values)
            end = slot.offset + slot.scalar.size
            contents[slot.argument][slot.offset : end] = encode(slot.scalar, [value])

        return tuple(bytes(content) for content in contents)

    def _compute_strides(self, values: Mapping[str, int | float]) -> dict[str, int]:
        """Return the strides that follow from shapes, by name.

        Of arrays the last axis is dense, as in PyTorch; of x, y, z, w the first. Where no shape
        goes with a stride, rows lie apart.
        """
        strides: dict[str, int] = {}
        for slot in self.scalar_slots:
            if slot.role != "stride":
                continue

            shape = [int(values.get(name, 1)) for name in self._shape_names[slot.name]]
            if not shape:
                strides[slot.name] = compute_stride(slot.axis, slot.rank)
                continue

            # A vector lists its axes from the innermost on, an array from the outermost.
            is_vector = slot.name[-1] in AXIS_LETTERS
            inner_axes = shape[: slot.axis] if is_vector else shape[slot.axis + 1 :]
            stride = math.prod(max(1, extent) for extent in inner_axes)
            strides[slot.name] = min(stride, _MAX_STRIDE)

        return strides

    @cached_property
    def _shape_names(self) -> dict[str, list[str]]:
        """The extents that go with each stride, by its name: every launch asks for them."""
        return {
            slot.name: self._find_shape_names(slot)
            for slot in self.scalar_slots
            if slot.role == "stride"
        }

    def _find_shape_names(self, stride: ScalarSlot) -> list[str]:
        """Return the extents of the shape that goes with a stride; empty where there is none.

        It is one of the same argument and rank, of the same structure or with the most similar
        name.
        """
        extents = [
            slot
            for slot in self.scalar_slots
            if slot.role in ("shape", "one") and slot.argument == stride.argument
        ]

        stride_stem = STRIDE_NAME.sub("", stride.group).lower()
        stride_parent = parent_name(stride.group)

        # The name breaks ties, so that the choice does not depend on the order of members.
        def rank_group(group: str) -> tuple[bool, bool, str]:
            is_sibling = parent_name(group) == stride_parent
            is_namesake = SHAPE_NAME.sub("", group).lower() == stride_stem

            return is_sibling, is_namesake, group

        groups = {extent.group for extent in extents if extent.rank == stride.rank}
        best_group = max(groups, key=rank_group, default="")

        return [extent.name for extent in extents if extent.group == best_group]


def build_argument_layout(
    signature: Signature,
    parameter_names: Sequence[str],
    kernel_words: Set[str] = frozenset(),
    stride_parameters: Set[str] = frozenset(),
) -> ArgumentLayout:
    """Return the layout of a kernel's arguments.

    Parameters go by `parameter_names`, or by their position where these name none.
    `kernel_words` are the words of the kernel's own text. Of structures that are
    `stride_parameters` each whole number is a stride.
    """
    buffer_slots: list[BufferSlot] = []
    scalar_slots: list[ScalarSlot] = []

    for argument, parameter_type in enumerate(signature):
        name = f"argument{argument}"
        if argument < len(parameter_names) and parameter_names[argument]:
            name = parameter_names[argument]

        if parameter_type.kind is TypeKind.POINTER:
            append_pointer_slots(name, argument, 0, parameter_type, buffer_slots)
        elif parameter_type.kind in NUMBER_KINDS:
            scalar = select_scalar_type(parameter_type.kind, parameter_type.size)
            scalar_slots.append(ScalarSlot(name, argument, 0, scalar))
        else:
            structure_slots = _collect_structure_slots(
                name, argument, parameter_type, kernel_words, buffer_slots
            )
            if name in stride_parameters:
                structure_slots = _as_strides(structure_slots)

            scalar_slots += structure_slots

    return ArgumentLayout(
        argument_sizes=tuple(parameter_type.size for parameter_type in signature),
        buffer_slots=tuple(buffer_slots),
        scalar_slots=tuple(scalar_slots),
        kernel_words=kernel_words,
        stride_parameters=stride_parameters,
    )


def _slot_value(slot: ScalarSlot, values: Mapping[str, int | float]) -> int | float:
    # E.g. `multiplier` beside a `divisor` of 7.
    if slot.divisor_part is not None:
        divisor = int(values.get(slot.divisor, 1))
        return compute_divisor_part(slot.divisor_part, divisor)

    match slot.role:
        case "rank":
            return slot.rank
        case "one":
            return 1
        case "pair":
            return 2
        case "apart":
            return compute_stride(slot.axis, slot.rank, slot.span)

    return values.get(slot.name, 0)


def _as_strides(slots: Sequence[ScalarSlot]) -> list[ScalarSlot]:
    return [
        replace(
            slot,
            axis=axis,
            rank=len(slots),
            role="apart",
            divisor_part=None,
            span=DEFAULT_SPAN,
        )
        for axis, slot in enumerate(slots)
    ]


def _collect_structure_slots(
    name: str,
    argument: int,
    structure_type: ParameterType,
    kernel_words: Set[str],
    buffer_slots: list[BufferSlot],
) -> list[ScalarSlot]:
    """Return the numbers of a structure, and append its pointers to `buffer_slots`."""
    # A structure whose members the compiler does not tell is taken for a vector.
    if not structure_type.members or is_number_type(structure_type.type_name):
        element = resolve_element_type(
            structure_type.type_name, structure_type.kind, structure_type.size
        )
        return list(iter_number_slots(name, argument, element))

    members = drop_overlapping_members(structure_type.members, kernel_words)
    members = disambiguate_members(members)
    scalar_slots: list[ScalarSlot] = []

    for member in members:
        full_name = f"{name}.{member.name}"
        for index, offset in iter_elements(member):
            if member.type.kind is TypeKind.POINTER:
                pointer_name = element_name(full_name, index, member.count)
                append_pointer_slots(
                    pointer_name, argument, offset, member.type, buffer_slots
                )
            elif member.type.kind in NUMBER_KINDS:
                scalar_slots.append(
                    build_member_slot(
                        name, argument, member, index, members, structure_type.type_name
                    )
                )

    return scalar_slots
