"""What a case passes to a kernel and gets from it, as a reader knows numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from crawler.dataset.prompts.example_case import (
    find_traced_cases,
    read_number,
    resolve_type,
)
from crawler.model import Case, CaseBuffer, Kernel, KernelRecord

_SHOWN_ELEMENTS: Final = 12
_SHOWN_BUFFERS: Final = 8
_MAX_BYTES: Final = 1 << 20
"""Of a buffer that is read for a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleBuffer:
    """The first elements of one buffer of a case."""

    name: str
    role: str
    before: str
    after: str
    """What ought to stand there; empty where the kernel writes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleCase:
    """One case in numbers."""

    name: str
    numbers: tuple[tuple[str, str], ...]
    """Parameters that are plain numbers, each with its value."""
    buffers: tuple[ExampleBuffer, ...]


def list_numbers(kernel: Kernel, case: Case) -> list[tuple[str, str]]:
    """Return the parameters that are plain numbers in a case, each with its value."""
    types = {
        parameter.name: resolve_type(parameter.canonical_type, {})
        for parameter in kernel.parameters
    }
    numbers: list[tuple[str, str]] = []
    for argument in case.arguments:
        raw = bytes.fromhex(argument.content)
        # what points, or holds several values, is no number
        if argument.pointers:
            continue
        number = read_number(raw, types.get(argument.name, ""))
        if number is not None:
            numbers.append((argument.name, str(number)))

    return numbers


def find_example(
    record: KernelRecord, load: Callable[[str], bytes]
) -> ExampleCase | None:
    """Return what the buffers of the smallest case in which something is written hold before and
    after; `None` where there is no such case, or no buffer of plain numbers.
    """
    cases = find_traced_cases(record).cases
    telling = [case for case in cases if any(each.gold for each in case.buffers)]
    if not telling:
        return None

    smallest = min(telling, key=lambda case: sum(each.size for each in case.buffers))
    examples: list[ExampleBuffer] = []
    for buffer in smallest.buffers[:_SHOWN_BUFFERS]:
        if buffer.size > _MAX_BYTES or not buffer.element_size:
            continue
        before = _spell_elements(
            buffer, load(buffer.content) if buffer.content else b""
        )
        after = _spell_elements(buffer, load(buffer.gold)) if buffer.gold else ""
        if before:
            examples.append(
                ExampleBuffer(
                    name=buffer.name,
                    role=buffer.role.value,
                    before=before if buffer.content else "nothing yet",
                    after=after,
                )
            )

    if not examples:
        return None
    return ExampleCase(
        name=smallest.name,
        numbers=tuple(list_numbers(record.kernel, smallest)),
        buffers=tuple(examples),
    )


def _spell_elements(buffer: CaseBuffer, content: bytes) -> str:
    """Return the first elements of a buffer; empty where they are no plain numbers."""
    # what has no content is 0xFF throughout
    raw = content or b"\xff" * min(buffer.size, _SHOWN_ELEMENTS * buffer.element_size)
    size = buffer.element_size
    element = resolve_type(buffer.element, {})
    words: list[str] = []
    for start in range(0, min(len(raw), _SHOWN_ELEMENTS * size), size):
        number = read_number(raw[start : start + size], element)
        if number is None:
            return ""
        words.append(f"{number:g}" if isinstance(number, float) else str(number))

    more = "" if buffer.size <= _SHOWN_ELEMENTS * size else ", …"
    return ", ".join(words) + more
