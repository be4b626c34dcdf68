"""List the kernels and undefined functions of a code object, a cubin or PTX."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

_ELF_MAGIC: Final = b"\x7fELF\x02\x01"
_SYMBOL_TABLES: Final = frozenset({2, 11})  # SHT_SYMTAB, SHT_DYNSYM
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_ENTRY: Final = re.compile(
    rb"^\.(?:visible |weak )*\s*\.?entry\s+([\w$]+)", re.MULTILINE
)
_EXTERN: Final = re.compile(
    rb"^\.extern \.func\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE
)
_NVIDIA: Final = 190  # EM_CUDA
_ENTRY_POINT: Final = 0x10  # STO_CUDA_ENTRY
_DRIVER_FUNCTIONS: Final = frozenset(
    {"vprintf", "malloc", "free", "__assertfail", "__nv_printf"}
)


def list_kernel_symbols(code: bytes) -> tuple[str, ...]:
    """Return the mangled names of the kernels in a code object or in PTX, sorted."""
    if code.startswith(_ELF_MAGIC):
        if code[0x12:0x14] == struct.pack("<H", _NVIDIA):
            return tuple(
                sorted(
                    {name for name, other in _elf_symbols(code) if other & _ENTRY_POINT}
                )
            )
        return tuple(
            sorted(
                {
                    name.removesuffix(".kd")
                    for name, _ in _elf_symbols(code)
                    if name.endswith(".kd")
                }
            )
        )
    return tuple(sorted({name.decode() for name in _ENTRY.findall(code)}))


def list_undefined_functions(ptx: bytes) -> tuple[str, ...]:
    """Return the functions that PTX calls and nothing defines, but for the driver's and
    libdevice's, sorted.
    """
    found = () if ptx.startswith(_ELF_MAGIC) else _EXTERN.findall(ptx)
    names = {name.decode() for name in found} - _DRIVER_FUNCTIONS
    return tuple(sorted(name for name in names if not name.startswith("__nv_")))


def _elf_symbols(code: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name of each symbol, and what its format says of it beside."""
    try:
        (table,) = struct.unpack_from("<Q", code, 0x28)
        size, count = struct.unpack_from("<HH", code, 0x3A)
        sections = [
            _SECTION.unpack_from(code, table + index * size) for index in range(count)
        ]
        for _, kind, _, _, offset, length, link, _, _, _ in sections:
            if kind in _SYMBOL_TABLES:
                strings = sections[link][4]
                for position in range(offset, offset + length, _SYMBOL.size):
                    name, _, other, *_ = _SYMBOL.unpack_from(code, position)
                    start = strings + name
                    yield (
                        code[start : code.index(b"\0", start)].decode(
                            "utf-8", "replace"
                        ),
                        other,
                    )
    except (struct.error, IndexError, ValueError):
        return
