"""A launch of one instantiation as a launch of another, whose numbers are wider or narrower."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crawler.validate.recordings.recorded_launch import (
    RecordedBuffer,
    RecordedLaunch,
    RecordedParameter,
    RecordedPointer,
    pack_content,
)
from crawler.validate.values.element_types import (
    ElementType,
    resolve_element_type,
    resolve_pointee,
)
from crawler.validate.values.parameter_types import ParameterType, Signature, TypeKind
from crawler.validate.values.scalar_types import decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversion:
    """From numbers of one type to as many of another."""

    source: ElementType
    target: ElementType

    def convert(self, content: bytes) -> bytes:
        return encode(self.target.scalar, decode(self.source.scalar, content))

    def scale(self, offset: int) -> int:
        return offset // self.source.size * self.target.size


def convert_launch(
    launch: RecordedLaunch, recorded: Signature, wanted_signature: Signature
) -> RecordedLaunch | None:
    """Return a launch, made with the parameters `recorded`, with the same values for those of
    `wanted_signature`; `None` where these do not correspond.
    """
    if len(recorded) != len(wanted_signature):
        return None

    conversions: dict[int, _Conversion] = {}
    for number, (source, target) in enumerate(
        zip(recorded, wanted_signature, strict=True)
    ):
        if has_same_form(source, target):
            continue
        conversion = _find_conversion(source, target)
        if conversion is None:
            return None
        conversions[number] = conversion

    conversion_by_buffer = _assign_buffers(launch, recorded, conversions)
    if conversion_by_buffer is None:
        return None

    return _convert(launch, recorded, conversions, conversion_by_buffer)


def has_same_form(first: ParameterType, second: ParameterType) -> bool:
    """Tell whether parameters have the same kind and size, and point to the same."""
    forms = [
        (parameter.kind, parameter.size, parameter.pointee_kind, parameter.pointee_size)
        for parameter in (first, second)
    ]
    return forms[0] == forms[1]


def _find_conversion(
    source: ParameterType, target: ParameterType
) -> _Conversion | None:
    """Return how numbers become those of another parameter; `None` where they mean others."""
    old, new = _resolve_element(source), _resolve_element(target)
    if (
        old is None
        or new is None
        or (source.kind is TypeKind.POINTER) != (target.kind is TypeKind.POINTER)
    ):
        return None

    is_alike = old.scalar.is_real == new.scalar.is_real and old.lanes == new.lanes
    return _Conversion(source=old, target=new) if is_alike else None


def _resolve_element(parameter: ParameterType) -> ElementType | None:
    if parameter.kind is TypeKind.POINTER:
        return resolve_pointee(parameter)
    return resolve_element_type(parameter.type_name, parameter.kind, parameter.size)


def _assign_buffers(
    launch: RecordedLaunch, recorded: Signature, conversions: dict[int, _Conversion]
) -> dict[int, _Conversion] | None:
    """Return how each buffer is converted; `None` where two parameters mean it differently."""
    assigned: dict[int, _Conversion | None] = {}
    for pointer in launch.pointers:
        conversion = conversions.get(pointer.owner)
        if assigned.setdefault(pointer.buffer, conversion) != conversion:
            return None
        # what else lies in it is not known
        if conversion and recorded[pointer.owner].kind is not TypeKind.POINTER:
            return None

    linked = {buffer for link in launch.links for buffer in (link.owner, link.buffer)}
    by_buffer = {
        buffer: conversion
        for buffer, conversion in assigned.items()
        if conversion is not None
    }
    return None if linked & by_buffer.keys() else by_buffer


def _convert(
    launch: RecordedLaunch,
    recorded: Signature,
    conversions: dict[int, _Conversion],
    conversion_by_buffer: dict[int, _Conversion],
) -> RecordedLaunch:
    ratios = [
        conversion.target.size / conversion.source.size
        for conversion in conversions.values()
    ]
    return replace(
        launch,
        # what of it holds the other type is not known
        shared_bytes=int(launch.shared_bytes * max([1.0, *ratios])),
        parameters=tuple(
            parameter
            if number not in conversions or recorded[number].kind is TypeKind.POINTER
            else _convert_parameter(parameter, conversions[number])
            for number, parameter in enumerate(launch.parameters)
        ),
        pointers=tuple(
            _scale_pointer(pointer, conversion_by_buffer.get(pointer.buffer))
            for pointer in launch.pointers
        ),
        buffers=tuple(
            _convert_buffer(buffer, conversion_by_buffer.get(number))
            for number, buffer in enumerate(launch.buffers)
        ),
    )


def _convert_parameter(
    parameter: RecordedParameter, conversion: _Conversion
) -> RecordedParameter:
    return replace(parameter, content=conversion.convert(parameter.content))


def _scale_pointer(
    pointer: RecordedPointer, conversion: _Conversion | None
) -> RecordedPointer:
    if conversion is None:
        return pointer
    return replace(pointer, offset=conversion.scale(pointer.offset))


def _convert_buffer(
    buffer: RecordedBuffer, conversion: _Conversion | None
) -> RecordedBuffer:
    if conversion is None:
        return buffer

    content = conversion.convert(buffer.read_before())
    return RecordedBuffer(size=len(content), before=pack_content(content))
