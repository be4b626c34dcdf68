"""Write the bytes of cases into a test: as literals in its text, or in a binary file beside it."""

from __future__ import annotations

import math
import struct
import textwrap
from typing import Final

from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType, decode

MAX_EMBEDDED_BYTES: Final = 1 << 11
"""Bytes up to which a content stands in the text."""
_TOGETHER: Final = 1 << 15
"""Bytes of all that stand there."""
_TYPES: Final = {
    ScalarType.BOOL: "unsigned char",
    ScalarType.I8: "signed char",
    ScalarType.U8: "unsigned char",
    ScalarType.I16: "short",
    ScalarType.U16: "unsigned short",
    ScalarType.I32: "int",
    ScalarType.U32: "unsigned int",
    ScalarType.I64: "long long",
    ScalarType.U64: "unsigned long long",
    ScalarType.FLOAT: "float",
    ScalarType.DOUBLE: "double",
}
_BITS: Final = {
    1: ("B", "unsigned char"),
    2: ("H", "unsigned short"),
    4: ("I", "unsigned int"),
    8: ("Q", "unsigned long long"),
}


class ByteStore:
    """Contents one after another in a file, each once."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._bytes = bytearray()

    def add(self, raw: bytes) -> int:
        """Return where `raw` begins, after it was added if it was not there."""
        if raw not in self._places:
            self._places[raw] = len(self._bytes)
            self._bytes += raw
        return self._places[raw]

    @property
    def content(self) -> bytes:
        """All of them."""
        return bytes(self._bytes)


class HarnessContents:
    """What the cases of one test are made of, each content once."""

    def __init__(self, limit: int = MAX_EMBEDDED_BYTES) -> None:
        self._limit, self._embedded = limit, 0
        self._names: dict[tuple[str, str], str] = {}
        self._declared: list[str] = []
        self._beside = ByteStore()

    def expression_for(self, digest: str, raw: bytes, element: ElementType) -> str:
        """Return how the test's text names a content."""
        if not raw:
            return "{nullptr, 0}"
        key = (digest, str(element.scalar))
        if key not in self._names and (
            len(raw) > self._limit or self._embedded + len(raw) > _TOGETHER
        ):
            return f"stored({self._beside.add(raw)}, {len(raw)})"
        if key not in self._names:
            self._embedded += len(raw)
            self._names[key] = f"data_{len(self._names)}"
            self._declared.append(_declaration(self._names[key], raw, element))
        name = self._names[key]
        return f"{{{name}, sizeof({name})}}"

    @property
    def declarations(self) -> str:
        """The arrays of all contents that stand in the text."""
        return "\n".join(self._declared)

    @property
    def stored_bytes(self) -> bytes:
        """All others, one after another."""
        return self._beside.content


def escape_bytes(raw: bytes) -> str:
    """Return bytes as a string literal."""
    return '"' + "".join(f"\\{byte:03o}" for byte in raw) + '"'


def _declaration(name: str, raw: bytes, element: ElementType) -> str:
    kind, words = _words(raw, element)
    body = textwrap.fill(
        ", ".join(words), 116, break_long_words=False, break_on_hyphens=False
    )
    return f"static const {kind} {name}[] = {{\n{textwrap.indent(body, '  ')}}};"


def _words(raw: bytes, element: ElementType) -> tuple[str, list[str]]:
    code = element.scalar
    if len(raw) % code.size == 0:
        if code in _TYPES:
            words = [_number(value, code) for value in decode(code, raw)]
            if all(words):
                return _TYPES[code], words
        letter, kind = _BITS[code.size]
        return kind, [
            f"0x{value:0{2 * code.size}x}"
            for value in struct.unpack(f"<{len(raw) // code.size}{letter}", raw)
        ]
    return "unsigned char", [f"0x{byte:02x}" for byte in raw]


def _number(value: float, code: ScalarType) -> str:
    """Return a literal of exactly this value; empty where there is none."""
    if code.is_real:
        return _floating(value, code) if math.isfinite(value) else ""
    if value in (-(1 << 31), -(1 << 63)):
        return (
            f"({value + 1} - 1)" if code is ScalarType.I32 else f"({value + 1}ll - 1)"
        )
    return (
        f"{value}{'u' if code.startswith('u') else ''}{'ll' if code.size == 8 else ''}"
    )


def _floating(value: float, code: ScalarType) -> str:
    if code is ScalarType.DOUBLE:
        return repr(value)
    exact = struct.pack("<f", value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _single(float(text)) == exact:
            return f"{text if '.' in text or 'e' in text else text + '.'}f"
    return ""


def _single(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # fewer digits may round to more than a float holds
        return b""
