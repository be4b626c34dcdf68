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
_MAX_TOTAL_EMBEDDED_BYTES: Final = 1 << 15
_LINE_WIDTH: Final = 116
_CPP_TYPES: Final = {
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
_UNSIGNED_BY_SIZE: Final = {
    1: ("B", "unsigned char"),
    2: ("H", "unsigned short"),
    4: ("I", "unsigned int"),
    8: ("Q", "unsigned long long"),
}


class ByteStore:
    """Contents one after another in a file, each once."""

    def __init__(self) -> None:
        self._offsets: dict[bytes, int] = {}
        self._bytes = bytearray()

    def add(self, raw: bytes) -> int:
        """Return where `raw` begins, after it was added if it was not there."""
        if raw not in self._offsets:
            self._offsets[raw] = len(self._bytes)
            self._bytes += raw

        return self._offsets[raw]

    @property
    def content(self) -> bytes:
        """All of them."""
        return bytes(self._bytes)


class HarnessContents:
    """What the cases of one test are made of, each content once."""

    def __init__(self, limit: int = MAX_EMBEDDED_BYTES) -> None:
        self._max_embedded_bytes = limit
        self._embedded_bytes = 0
        self._array_names: dict[tuple[str, str], str] = {}
        self._declarations: list[str] = []
        self._stored = ByteStore()

    def expression_for(self, digest: str, raw: bytes, element: ElementType) -> str:
        """Return how the test's text names a content."""
        if not raw:
            return "{nullptr, 0}"

        # the same bytes are written as numbers of each type that they are used as
        key = (digest, str(element.scalar))
        if key not in self._array_names:
            if not self._fits(raw):
                return f"stored({self._stored.add(raw)}, {len(raw)})"

            name = f"data_{len(self._array_names)}"
            self._embedded_bytes += len(raw)
            self._array_names[key] = name
            self._declarations.append(_declare_array(name, raw, element))

        name = self._array_names[key]
        return f"{{{name}, sizeof({name})}}"

    def _fits(self, raw: bytes) -> bool:
        if len(raw) > self._max_embedded_bytes:
            return False

        return self._embedded_bytes + len(raw) <= _MAX_TOTAL_EMBEDDED_BYTES

    @property
    def declarations(self) -> str:
        """The arrays of all contents that stand in the text."""
        return "\n".join(self._declarations)

    @property
    def stored_bytes(self) -> bytes:
        """All others, one after another."""
        return self._stored.content


def escape_bytes(raw: bytes) -> str:
    """Return bytes as a string literal."""
    # Octal, because it ends after three digits: a hexadecimal escape takes what follows.
    escapes = [f"\\{byte:03o}" for byte in raw]
    text = "".join(escapes)

    return f'"{text}"'


def _declare_array(name: str, raw: bytes, element: ElementType) -> str:
    cpp_type, literals = _format_literals(raw, element.scalar)
    text = ", ".join(literals)
    lines = textwrap.fill(
        text,
        _LINE_WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    )

    body = textwrap.indent(lines, "  ")
    return f"static const {cpp_type} {name}[] = {{\n{body}}};"


def _format_literals(raw: bytes, scalar: ScalarType) -> tuple[str, list[str]]:
    """Return the type of an array that has exactly these bytes, and its literals."""
    if len(raw) % scalar.size:
        return "unsigned char", [f"0x{byte:02x}" for byte in raw]
    if scalar in _CPP_TYPES:
        values = decode(scalar, raw)
        literals = [_format_number(value, scalar) for value in values]
        if all(literals):
            return _CPP_TYPES[scalar], literals

    # what no literal says, such as NaN and halves, is given by its bits
    code, cpp_type = _UNSIGNED_BY_SIZE[scalar.size]
    count = len(raw) // scalar.size
    words = struct.unpack(f"<{count}{code}", raw)
    digits = 2 * scalar.size

    return cpp_type, [f"0x{word:0{digits}x}" for word in words]


def _format_number(value: float, scalar: ScalarType) -> str:
    """Return a literal of exactly this value; empty where there is none."""
    if scalar.is_real:
        # NaN and infinities have no literal.
        if not math.isfinite(value):
            return ""

        return _format_real(value, scalar)

    if value in (-(1 << 31), -(1 << 63)):
        # C++ has no negative literals: `-2147483648` is a minus before what no int holds
        suffix = "" if scalar is ScalarType.I32 else "ll"
        return f"({value + 1}{suffix} - 1)"

    sign_suffix = "u" if scalar.startswith("u") else ""
    size_suffix = "ll" if scalar.size == 8 else ""

    return f"{value}{sign_suffix}{size_suffix}"


def _format_real(value: float, scalar: ScalarType) -> str:
    """Return the shortest decimal literal that is read as this value."""
    if scalar is ScalarType.DOUBLE:
        return repr(value)

    exact = struct.pack("<f", value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _pack_single(float(text)) != exact:
            continue

        # `1f` is no literal, `1.f` is.
        has_point = "." in text or "e" in text
        suffix = "f" if has_point else ".f"

        return text + suffix

    return ""


def _pack_single(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # fewer digits may round to more than a float holds
        return b""
