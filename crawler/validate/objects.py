"""Which kernels an object holds: AMD code objects (ELF) and PTX."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

_ELF_MAGIC: Final = b"\x7fELF\x02\x01"
_SYMBOL_TABLES: Final = frozenset({2, 11})  # SHT_SYMTAB, SHT_DYNSYM
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_ENTRY: Final = re.compile(rb"^\.(?:visible |weak )*\s*\.?entry\s+([\w$]+)", re.MULTILINE)
_EXTERN: Final = re.compile(rb"^\.extern \.func\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)
_DRIVER_FUNCTIONS: Final = frozenset({"vprintf", "malloc", "free", "__assertfail", "__nv_printf"})


def kernels(code: bytes) -> tuple[str, ...]:
    """Return the mangled names of the kernels in a code object or in PTX, sorted."""
    if code.startswith(_ELF_MAGIC):
        return tuple(sorted({name.removesuffix(".kd") for name in _elf_symbols(code) if name.endswith(".kd")}))
    return tuple(sorted({name.decode() for name in _ENTRY.findall(code)}))


def undefined(ptx: bytes) -> tuple[str, ...]:
    """Return the functions that PTX calls and nothing defines, but for the driver's and libdevice's, sorted."""
    names = {name.decode() for name in _EXTERN.findall(ptx)} - _DRIVER_FUNCTIONS
    return tuple(sorted(name for name in names if not name.startswith("__nv_")))


def _elf_symbols(code: bytes) -> Iterator[str]:
    try:
        (table,) = struct.unpack_from("<Q", code, 0x28)
        size, count = struct.unpack_from("<HH", code, 0x3A)
        sections = [_SECTION.unpack_from(code, table + index * size) for index in range(count)]
        for _, kind, _, _, offset, length, link, _, _, _ in sections:
            if kind in _SYMBOL_TABLES:
                strings = sections[link][4]
                for position in range(offset, offset + length, _SYMBOL.size):
                    start = strings + _SYMBOL.unpack_from(code, position)[0]
                    yield code[start : code.index(b"\0", start)].decode("utf-8", "replace")
    except (struct.error, IndexError, ValueError):
        return
