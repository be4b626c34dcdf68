"""Write cases and golden outputs for a judge: a text of words and numbers, and the bytes beside it.

The text is read by `judge/cases.h`; it begins with its version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import Case, CaseArgument, CaseBuffer, CasePointer, KernelUnit
from crawler.validate.harness.case_text import written_range
from crawler.validate.harness.embedded_bytes import ByteStore
from crawler.validate.harness.program import HEADER_TREES
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type

_FORMAT_LINE: Final = "kernelset-cases 1"
# a project's names, for a file whose words are cut at blanks
_NO_WORD_CHARACTER: Final = re.compile(r"[^\w.<>:\[\]-]", re.ASCII)
_FNV_OFFSET: Final = 0xCBF29CE484222325
_FNV_PRIME: Final = 0x100000001B3
_MAX_WORD: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """Cases as a judge reads them."""

    text: str
    stored_bytes: bytes
    """The contents that the text names by their places, one after another."""


def render_case_file(
    numbered_cases: Sequence[tuple[Case, int]],
    blobs: Blobs,
    *,
    unit: KernelUnit,
    runner: str,
    reference: bytes,
) -> CaseFile:
    """Return the cases, each with the number of its kernel in the program `runner`; raises
    `KeyError` without their bytes.
    """
    store = ByteStore()
    case_lines: list[str] = []
    for case, kernel in numbered_cases:
        case_lines.extend(_render_case(case, kernel, store, blobs))

    lines = [
        _FORMAT_LINE,
        f"runner {runner}",
        f"checksum {compute_checksum(reference)}",
        f"language {unit.dialect.value}",
        f"standard {unit.standard.removeprefix('c++')}",
        f"headers {len(HEADER_TREES)} {' '.join(HEADER_TREES)}",
        f"bytes {len(store.content)}",
        f"cases {len(numbered_cases)}",
        *case_lines,
        "end",
    ]

    return CaseFile(text="\n".join(lines) + "\n", stored_bytes=store.content)


def compute_checksum(content: bytes) -> int:
    """Return FNV-1a of 64 bits: it tells a reference that somebody edited by mistake.

    http://www.isthe.com/chongo/tech/comp/fnv/
    """
    checksum = _FNV_OFFSET
    for byte in content:
        checksum = ((checksum ^ byte) * _FNV_PRIME) & _MAX_WORD

    return checksum


def _render_case(
    case: Case, kernel: int, store: ByteStore, blobs: Blobs
) -> Iterator[str]:
    numbers = (*case.grid, *case.block, case.shared_bytes)
    extents = " ".join(map(str, numbers))
    counts = f"{len(case.buffers)} {len(case.arguments)}"
    yield f"case {format_word(case.name)} {kernel} {extents} {counts}"

    for buffer in case.buffers:
        yield _render_buffer(buffer, store, blobs)
        yield from _render_links(buffer.pointers)

    for argument in case.arguments:
        yield _render_argument(argument)
        yield from _render_links(argument.pointers)


def _render_buffer(buffer: CaseBuffer, store: ByteStore, blobs: Blobs) -> str:
    element = parse_element_type(buffer.element, buffer.element_size)
    begin, end = written_range(buffer)

    def store_content(digest: str) -> str:
        if not digest:
            return "-1 0"

        raw = blobs.get(digest)[: buffer.size]
        return f"{store.add(raw)} {len(raw)}"

    words = (
        "buffer",
        format_word(buffer.name),
        element.scalar.name,
        element.lanes,
        buffer.size,
        store_content(buffer.content),
        store_content(buffer.gold if begin < end else ""),
        begin,
        end,
        repr(buffer.absolute),
        repr(buffer.relative),
        len(buffer.pointers),
    )

    return " ".join(map(str, words))


def _render_argument(argument: CaseArgument) -> str:
    return f"argument {argument.content or '-'} {len(argument.pointers)}"


def _render_links(pointers: Sequence[CasePointer]) -> Iterator[str]:
    for pointer in pointers:
        buffer = -1 if pointer.buffer is None else pointer.buffer
        yield f"link {pointer.at} {buffer} {pointer.offset}"


def format_word(text: str) -> str:
    """Return a name as the text has it, without blanks; a stranger chose it."""
    return _NO_WORD_CHARACTER.sub("_", text) or "_"
