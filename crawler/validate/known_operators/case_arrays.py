"""The memory and the numbers of a case as NumPy has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.model import Case, CaseArgument, CaseBuffer, Kernel, KernelUnit
from crawler.validate.known_operators.known_operator import MAX_ELEMENTS, Array
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.scalar_types import ScalarType, decode

_FORMATS: Final = {
    ScalarType.BOOL: "u1",
    ScalarType.I8: "i1",
    ScalarType.U8: "u1",
    ScalarType.I16: "<i2",
    ScalarType.U16: "<u2",
    ScalarType.I32: "<i4",
    ScalarType.U32: "<u4",
    ScalarType.I64: "<i8",
    ScalarType.U64: "<u8",
    ScalarType.HALF: "<f2",
    ScalarType.FLOAT: "<f4",
    ScalarType.DOUBLE: "<f8",
}
_UNWRITTEN: Final = b"\xff"
_LARGEST_COUNT: Final = 1 << 22
"""As a `float` a number of these bits is next to nothing, and no one's parameter."""
# one template argument, as a compiler prints it
_NUMBER: Final = re.compile(r"[+-]?\d{1,9}")
# what a parameter's type has beside its name, as it is written
_QUALIFIERS: Final = re.compile(r"\b(?:const|volatile)\b|[&]")
_GUESSED_TYPES: Final = {
    4: (ScalarType.I32, ScalarType.FLOAT),
    8: (ScalarType.I64, ScalarType.DOUBLE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferArrays:
    """What stands in a buffer before a launch, and what ought to stand in it afterwards."""

    buffer: CaseBuffer
    scalar: ScalarType
    before: Array
    """64 bits wide; empty where nothing was stored."""
    gold: Array
    """64 bits wide; empty where nothing is written."""
    unchanged: Array
    """Of each number of the gold, whether its bytes are what stood there before."""

    @property
    def count(self) -> int:
        """Return how many numbers it holds."""
        return self.buffer.size // self.scalar.size


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseArrays:
    """One case."""

    name: str
    block_size: int
    block_count: int
    buffers: tuple[BufferArrays, ...]
    integers: dict[str, int]
    """Whole numbers by the names of what takes them, template parameters behind the others."""
    constants: frozenset[str]
    """Those of `integers` that are known when compiling."""
    reals: dict[str, float]


def read_cases(
    kernel: Kernel, unit: KernelUnit, cases: Sequence[Case], blobs: Blobs
) -> list[CaseArrays] | None:
    """Return cases whose arguments can be told; `None` where some are of a kind that cannot."""
    if not cases:
        return None

    types = _read_argument_types(kernel, unit, cases)
    if types is None:
        return None

    constants = _read_constants(kernel, unit, cases[0].entry)
    names = [buffer.name for buffer in cases[0].buffers]
    read: list[CaseArrays] = []

    for case in cases:
        if [buffer.name for buffer in case.buffers] != names:
            continue
        buffers = [_read_buffer(buffer, blobs) for buffer in case.buffers]
        known_buffers = tuple(buffer for buffer in buffers if buffer is not None)
        if len(known_buffers) < len(buffers):
            continue

        integers, reals = _read_numbers(case, types)
        x, y, z = case.block
        read.append(
            CaseArrays(
                name=case.name,
                block_size=x * y * z,
                block_count=case.grid[0] * case.grid[1] * case.grid[2],
                buffers=known_buffers,
                integers={**integers, **constants},
                constants=frozenset(constants),
                reals=reals,
            )
        )

    return read


def _read_argument_types(
    kernel: Kernel, unit: KernelUnit, cases: Sequence[Case]
) -> dict[str, ScalarType] | None:
    """Return the type of each argument that is a number; `None` where one is a structure, or
    does not begin where its buffer does.
    """
    written_types = _read_written_types(kernel, unit, cases[0].entry)
    types: dict[str, ScalarType] = {}

    for place, argument in enumerate(cases[0].arguments):
        size = len(argument.content) // 2
        if argument.pointers:
            if size != 8 or any(
                pointer.offset
                for case in cases
                for pointer in case.arguments[place].pointers
            ):
                return None
            continue

        written = written_types.get(argument.name, "")
        # a pointer that leads nowhere
        if "*" in written:
            continue
        scalar = _parse_scalar(written, size)
        scalar = scalar or _guess_scalar(
            [case.arguments[place] for case in cases], size
        )
        # a structure
        if scalar is None:
            return None
        types[argument.name or f"argument {place}"] = scalar

    return types


def _read_written_types(kernel: Kernel, unit: KernelUnit, entry: int) -> dict[str, str]:
    """Return the types of parameters, those of its template put in."""
    arguments = _read_template_arguments(kernel, unit, entry)
    types: dict[str, str] = {}
    for parameter in kernel.parameters:
        written = parameter.canonical_type or parameter.type
        bare = " ".join(_QUALIFIERS.sub(" ", written).split())
        types[parameter.name] = arguments.get(bare, bare)

    return types


def _read_template_arguments(
    kernel: Kernel, unit: KernelUnit, entry: int
) -> dict[str, str]:
    if entry >= len(unit.instantiations):
        return {}
    names = [parameter.name for parameter in kernel.template_parameters]

    return dict(zip(names, unit.instantiations[entry].arguments, strict=False))


def _read_constants(kernel: Kernel, unit: KernelUnit, entry: int) -> dict[str, int]:
    arguments = _read_template_arguments(kernel, unit, entry)
    return {
        name: int(argument)
        for name, argument in arguments.items()
        if _NUMBER.fullmatch(argument)
    }


def _parse_scalar(type_name: str, size: int) -> ScalarType | None:
    if not type_name:
        return None
    element = parse_element_type(type_name, size)
    # bytes stand for a type that is not known
    if element.scalar is ScalarType.U8 and size != 1:
        return None

    return element.scalar if element.scalar.size == size else None


def _guess_scalar(arguments: Sequence[CaseArgument], size: int) -> ScalarType | None:
    """Return what numbers of a type without a known name are, by their bits."""
    if size not in _GUESSED_TYPES:
        return None

    integer, real = _GUESSED_TYPES[size]
    values = [decode(integer, bytes.fromhex(arg.content))[0] for arg in arguments]
    is_integer = all(abs(value) < _LARGEST_COUNT for value in values)

    return integer if is_integer else real


def _read_numbers(
    case: Case, types: dict[str, ScalarType]
) -> tuple[dict[str, int], dict[str, float]]:
    integers: dict[str, int] = {}
    reals: dict[str, float] = {}
    for place, argument in enumerate(case.arguments):
        name = argument.name or f"argument {place}"
        if name not in types or argument.pointers:
            continue

        scalar = types[name]
        values = decode(scalar, bytes.fromhex(argument.content))
        if scalar.is_real:
            reals[name] = float(values[0])
        else:
            integers[name] = int(values[0])

    return integers, reals


def _read_buffer(buffer: CaseBuffer, blobs: Blobs) -> BufferArrays | None:
    """Return a buffer's arrays; `None` where it holds no plain numbers, or too many."""
    element = parse_element_type(buffer.element, buffer.element_size)
    scalar = element.scalar
    # bytes stand for what is no number by its name
    usual_size = parse_element_type(buffer.element, 0).size
    is_unknown = scalar is ScalarType.U8 and element.size != usual_size
    if buffer.pointers or is_unknown or buffer.size // scalar.size > MAX_ELEMENTS:
        return None

    before = blobs.get(buffer.content) if buffer.content else b""
    gold = blobs.get(buffer.gold) if buffer.role.is_written and buffer.gold else b""
    # what is written and has no gold is expected of nobody
    if buffer.role.is_written and not gold:
        return None

    size = buffer.size // scalar.size * scalar.size
    padded = before[:size].ljust(size, _UNWRITTEN)
    before_array = _read_array(scalar, before[:size])
    gold_array = _read_array(scalar, gold[:size])
    if before_array is None or gold_array is None:
        return None

    return BufferArrays(
        buffer=buffer,
        scalar=scalar,
        before=before_array,
        gold=gold_array,
        unchanged=_find_unchanged(padded, gold[:size], scalar.size),
    )


def _read_array(scalar: ScalarType, content: bytes) -> Array | None:
    content = content[: len(content) // scalar.size * scalar.size]
    if scalar is ScalarType.BFLOAT16:
        words = np.frombuffer(content, "<u2").astype(np.uint32) << 16
        with np.errstate(invalid="ignore"):
            return np.asarray(words.view(np.float32).astype(np.float64))
    if scalar not in _FORMATS:
        return None

    numbers = np.frombuffer(content, _FORMATS[scalar])
    # a NaN that signals
    with np.errstate(invalid="ignore"):
        return numbers.astype(np.float64 if scalar.is_real else np.int64)


def _find_unchanged(before: bytes, gold: bytes, width: int) -> Array:
    count = min(len(before), len(gold)) // width
    shape = (count, width)
    old = np.frombuffer(before[: count * width], np.uint8).reshape(shape)
    new = np.frombuffer(gold[: count * width], np.uint8).reshape(shape)

    return np.asarray(np.all(old == new, axis=1))
