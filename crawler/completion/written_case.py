"""Read a case that a model wrote: another launch, other numbers and other contents of memory.

What a model writes is data alone: no code of it runs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from crawler.model import Case, CaseArgument, CaseBuffer, CaseKind
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.scalar_types import ScalarType, decode, encode

_MAX_BYTES: Final = 16 << 20
_MAX_THREADS: Final = 1 << 20
_MAX_BLOCK: Final = 1024
_MAX_SCALAR_BYTES: Final = 8
_SPECIAL_NUMBERS: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
Number = float | str
"""JSON has no word for what is not finite: `nan`, `inf` and `-inf` stand for it."""


class WrittenBuffer(msgspec.Struct, forbid_unknown_fields=True):
    """What a model says of a buffer; what it leaves out stays."""

    count: int | None = None
    """Elements."""
    values: tuple[Number, ...] = ()
    """From the begin on, again and again until the buffer is full."""


class WrittenCase(msgspec.Struct, forbid_unknown_fields=True):
    """What a model says of a case; what it leaves out is as in the case that it was shown."""

    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    arguments: dict[str, Number] = {}
    buffers: dict[str, WrittenBuffer] = {}


class BadCase(ValueError):
    """Says what a model has to write otherwise."""


def read_case(
    text: str, base: Case, scalars: Mapping[str, str], blobs: Blobs, name: str
) -> Case:
    """Return the case `name` that `text` makes of `base`, without golden outputs; its contents go
    into `blobs`.

    `scalars` are the arguments that are numbers, each with its type. Raises `BadCase`.
    """
    try:
        written = msgspec.json.decode(text, type=WrittenCase)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise BadCase(f"it is not the JSON that was asked for: {problem}") from problem

    grid = written.grid or base.grid
    block = written.block or base.block
    _check_launch(grid, block)
    _check_names(written.arguments, scalars, "argument that is a number")
    _check_names(written.buffers, [buffer.name for buffer in base.buffers], "buffer")
    arguments = tuple(
        _change_argument(argument, written, scalars) for argument in base.arguments
    )
    _check_bytes(base.buffers, written)
    buffers = tuple(
        _change_buffer(buffer, written.buffers.get(buffer.name), blobs)
        for buffer in base.buffers
    )
    return replace(
        base,
        name=name,
        kind=CaseKind.EXTRA,
        grid=grid,
        block=block,
        arguments=arguments,
        buffers=buffers,
        bytes_read=-1,
        bytes_written=-1,
        operations=-1,
    )


def list_scalars(case: Case, types: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments of a case that are numbers of a known type, each with its type."""
    return {
        argument.name: types[argument.name]
        for argument in case.arguments
        if argument.name in types and _is_number(argument, types[argument.name])
    }


def list_numbers(case: Case, scalars: Mapping[str, str]) -> dict[str, Number]:
    """Return the values of the arguments that are numbers."""
    numbers: dict[str, Number] = {}
    for argument in case.arguments:
        if argument.name in scalars:
            content = bytes.fromhex(argument.content)
            scalar = parse_element_type(scalars[argument.name], len(content)).scalar
            (value,) = decode(scalar, content)
            numbers[argument.name] = spell_number(value)
    return numbers


def spell_number(value: float) -> Number:
    """Return a number as JSON can have it."""
    return value if math.isfinite(value) else str(float(value))


def _is_number(argument: CaseArgument, type_name: str) -> bool:
    size = len(argument.content) // 2
    if argument.pointers or not 0 < size <= _MAX_SCALAR_BYTES or "*" in type_name:
        return False
    element = parse_element_type(type_name, size)
    return element.fields is None and element.scalar.size == size


def _check_launch(grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
    if min(*grid, *block) < 1:
        raise BadCase("grid and block are three numbers from 1 each")
    if math.prod(block) > _MAX_BLOCK:
        raise BadCase(f"a block has at most {_MAX_BLOCK} threads")
    if math.prod(grid) * math.prod(block) > _MAX_THREADS:
        raise BadCase(f"all blocks together have at most {_MAX_THREADS} threads")


def _check_names(names: Iterable[str], known: Collection[str], kind: str) -> None:
    for name in names:
        if name not in known:
            there = ", ".join(known) or "none"
            raise BadCase(f"no {kind} is called {name!r}: there is {there}")


def _check_bytes(buffers: Sequence[CaseBuffer], written: WrittenCase) -> None:
    size = 0
    for buffer in buffers:
        change = written.buffers.get(buffer.name)
        count = change.count if change else None
        if count is not None and not 0 <= count <= _MAX_BYTES:
            raise BadCase(f"{buffer.name}: count is from 0 on")
        size += buffer.size if count is None else count * buffer.element_size
    if size > _MAX_BYTES:
        raise BadCase(f"all buffers together have at most {_MAX_BYTES} bytes")


def _change_argument(
    argument: CaseArgument, written: WrittenCase, scalars: Mapping[str, str]
) -> CaseArgument:
    value = written.arguments.get(argument.name)
    if value is None:
        return argument
    size = len(argument.content) // 2
    scalar = parse_element_type(scalars[argument.name], size).scalar
    content = _encode_numbers(scalar, [value], argument.name)
    return replace(argument, content=content.hex())


def _change_buffer(
    buffer: CaseBuffer, change: WrittenBuffer | None, blobs: Blobs
) -> CaseBuffer:
    cleared = replace(buffer, gold="", gold_filled="", written=(0, 0))
    if change is None:
        return cleared
    if buffer.pointers:
        raise BadCase(f"{buffer.name} holds pointers, and stays as it is")

    size = buffer.size if change.count is None else change.count * buffer.element_size
    if change.values:
        scalar = parse_element_type(buffer.element, buffer.element_size).scalar
        pattern = _encode_numbers(scalar, change.values, buffer.name)
    elif buffer.content:
        pattern = blobs.get(buffer.content)
    else:
        return replace(cleared, size=size)

    repeats = -(-size // max(1, len(pattern)))
    content = (pattern * repeats)[:size]
    return replace(cleared, size=size, content=blobs.put(content))


def _encode_numbers(scalar: ScalarType, values: Sequence[Number], name: str) -> bytes:
    numbers: list[float] = []
    for value in values:
        number = _SPECIAL_NUMBERS.get(value) if isinstance(value, str) else value
        if number is None:
            raise BadCase(f"{name}: {value!r} is no number: write nan, inf or -inf")
        if not scalar.is_real and not math.isfinite(number):
            raise BadCase(f"{name}: a whole number is neither nan nor inf")
        numbers.append(number)
    return encode(scalar, numbers)
