"""Read roles, sizes and values of parameters off the cases that a kernel came through."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from crawler.dataset.prompts.kernel_task import Direction
from crawler.model import BufferRole, Case, CaseArgument, CaseBuffer, KernelRecord

_SIGNED: Final = frozenset(
    {"char", "signed char", "short", "int", "long", "long long", "int8_t", "int16_t"}
    | {"int32_t", "int64_t", "ptrdiff_t", "ssize_t"}
)
_UNSIGNED: Final = frozenset(
    {"unsigned char", "unsigned short", "unsigned int", "unsigned", "unsigned long"}
    | {"unsigned long long", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t"}
)
_FLOATING: Final = {("float", 4): "<f", ("double", 8): "<d"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCases:
    """The shown cases of a kernel's own unit, and the one that serves as an example."""

    cases: tuple[Case, ...]
    """None where the kernel was not run; never one that is held back."""

    @property
    def example(self) -> Case | None:
        """The first one, which is the ordinary one."""
        return self.cases[0] if self.cases else None


def find_traced_cases(record: KernelRecord) -> TracedCases:
    """Return the cases of the first suite of the kernel's own unit."""
    unit = record.kernel.unit
    for _, suite in record.suites:
        if unit is not None and suite.unit == unit.digest:
            shown_cases = tuple(case for case in suite.cases if not case.hidden)
            return TracedCases(cases=shown_cases)

    return TracedCases(cases=())


def find_direction(traced: TracedCases, name: str) -> Direction | None:
    """Return which way the data of a pointer goes, over all cases; `None` where no case tells."""
    roles: set[BufferRole] = set()
    for case in traced.cases:
        argument = _find_argument(case.arguments, name)
        if argument is not None:
            roles |= {buffer.role for buffer in _list_buffers(case, argument)}

    is_read = not roles.isdisjoint({BufferRole.IN, BufferRole.INOUT})
    is_written = any(role.is_written for role in roles)
    if is_read and is_written:
        return Direction.INOUT
    if is_written:
        return Direction.OUT

    return Direction.IN if is_read else None


def describe_example(
    case: Case | None, name: str, value_type: str, is_pointer: bool
) -> str:
    """Return the size of a pointer's buffer, in elements and bytes, or a number's value; empty
    where the case does not tell.
    """
    argument = _find_argument(case.arguments, name) if case else None
    if case is None or argument is None:
        return ""

    buffers = _list_buffers(case, argument)
    if buffers:
        return _describe_buffer(buffers[0])
    if is_pointer:
        return "null"

    return _format_number(bytes.fromhex(argument.content), value_type)


def resolve_type(canonical_type: str, arguments: Mapping[str, str]) -> str:
    """Return the type of a value with its template parameters replaced and `const` left out."""
    words = [arguments.get(word, word) for word in canonical_type.split()]
    return " ".join(word for word in words if word != "const")


def _find_argument(arguments: Iterable[CaseArgument], name: str) -> CaseArgument | None:
    for argument in arguments:
        if argument.name == name:
            return argument
    return None


def _list_buffers(case: Case, argument: CaseArgument) -> list[CaseBuffer]:
    return [
        case.buffers[pointer.buffer]
        for pointer in argument.pointers
        if pointer.buffer is not None
    ]


def _describe_buffer(buffer: CaseBuffer) -> str:
    # what is empty has elements all the same
    count = buffer.size // buffer.element_size if buffer.element_size else 0
    noun = "element" if count == 1 else "elements"
    return f"{count} {noun} of {buffer.element} ({buffer.size} bytes)"


def read_number(raw: bytes, value_type: str) -> bool | int | float | None:
    """Return the number that an argument of a type holds; `None` for a type that is no number."""
    if value_type == "bool":
        return any(raw)
    if value_type in _SIGNED:
        return int.from_bytes(raw, "little", signed=True)
    if value_type in _UNSIGNED:
        return int.from_bytes(raw, "little")

    code = _FLOATING.get((value_type, len(raw)))
    if code is None:
        return None

    (number,) = struct.unpack(code, raw)
    return float(number)


def _format_number(raw: bytes, value_type: str) -> str:
    number = read_number(raw, value_type)
    if number is None:
        return ""
    if isinstance(number, bool):
        return "true" if number else "false"

    return f"{number:g}" if isinstance(number, float) else str(number)
