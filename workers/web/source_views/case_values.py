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

_SHOWN_ELEMENTS: Final = 24
"""As many as somebody may check by hand."""
_SHOWN_BYTES: Final = 64
"""Of a structure that is passed."""
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
    """Parameters that are no pointers, each with its value."""
    buffers: tuple[ExampleBuffer, ...]


def list_numbers(kernel: Kernel, case: Case) -> list[tuple[str, str]]:
    """Return the parameters that are no pointers in a case, each with its value; a structure with
    its bytes.
    """
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
        value = _spell_bytes(raw) if number is None else str(number)
        numbers.append((argument.name, value))

    return numbers


def _spell_bytes(raw: bytes) -> str:
    more = f" … of {len(raw)}" if len(raw) > _SHOWN_BYTES else ""
    return f"bytes {raw[:_SHOWN_BYTES].hex(' ', -4)}{more}"


def describe_tolerances(case: Case) -> list[tuple[str, str]]:
    """Return each buffer that is compared with how near it has to come."""
    return [
        (buffer.name, _spell_tolerance(buffer))
        for buffer in case.buffers
        if buffer.gold
    ]


def _spell_tolerance(buffer: CaseBuffer) -> str:
    words: list[str] = []
    if buffer.absolute:
        words.append(f"±{buffer.absolute:.3g}")
    if buffer.relative:
        words.append(f"±{buffer.relative:.3g} of the value")
    return " and ".join(words) or "every bit"


def find_examples(
    record: KernelRecord, load: Callable[[str], bytes]
) -> tuple[ExampleCase, ...]:
    """Return what the buffers of the smallest case in which something is written hold before and
    after; none where there is no such case, or no buffer of plain numbers.

    Where one of them has a single element, which tells no row from a column, the smallest case
    of which each has more follows, if all of it can be shown.
    """
    cases = find_traced_cases(record).cases
    telling = [case for case in cases if any(each.gold for each in case.buffers)]
    if not telling:
        return ()

    smallest = min(telling, key=_measure_memory)
    chosen = [smallest]
    if not _has_several_elements(smallest):
        larger = [
            case for case in telling if _has_several_elements(case) and _is_shown(case)
        ]
        chosen += sorted(larger, key=_measure_memory)[:1]

    examples = (_make_example(record, case, load) for case in chosen)
    return tuple(example for example in examples if example.buffers)


def _measure_memory(case: Case) -> int:
    return sum(buffer.size for buffer in case.buffers)


def _has_several_elements(case: Case) -> bool:
    return all(buffer.size > buffer.element_size for buffer in case.buffers)


def _is_shown(case: Case) -> bool:
    return len(case.buffers) <= _SHOWN_BUFFERS and all(
        buffer.size <= _SHOWN_ELEMENTS * buffer.element_size for buffer in case.buffers
    )


def _make_example(
    record: KernelRecord, case: Case, load: Callable[[str], bytes]
) -> ExampleCase:
    examples: list[ExampleBuffer] = []
    for buffer in case.buffers[:_SHOWN_BUFFERS]:
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

    return ExampleCase(
        name=case.name,
        numbers=tuple(list_numbers(record.kernel, case)),
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
