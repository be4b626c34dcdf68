"""List the kernels and undefined functions of a code object, a cubin or PTX."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

_ELF_MAGIC: Final = b"\x7fELF\x02\x01"
_SYMBOL_TABLES: Final = frozenset({2, 11})  # SHT_SYMTAB, SHT_DYNSYM
_SECTION_HEADER: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL_ENTRY: Final = struct.Struct("<IBBHQQ")
# PTX, as compilers print it: a directive begins its line
_PTX_ENTRY: Final = re.compile(
    rb"^\.(?:visible |weak )*\s*\.?entry\s+([\w$]+)", re.MULTILINE
)
_PTX_EXTERNAL_FUNCTION: Final = re.compile(
    rb"^\.extern \.func\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE
)
_MACHINE_OFFSET: Final = 0x12
_NVIDIA_MACHINE: Final = struct.pack("<H", 190)  # EM_CUDA
_ENTRY_POINT_FLAG: Final = 0x10  # STO_CUDA_ENTRY
_DRIVER_FUNCTIONS: Final = frozenset(
    {"vprintf", "malloc", "free", "__assertfail", "__nv_printf"}
)


def list_kernel_symbols(code: bytes) -> tuple[str, ...]:
    """Return the mangled names of the kernels in a code object or in PTX, sorted."""
    if not code.startswith(_ELF_MAGIC):
        entries = {name.decode() for name in _PTX_ENTRY.findall(code)}
        return tuple(sorted(entries))

    machine = code[_MACHINE_OFFSET : _MACHINE_OFFSET + 2]
    names = set()

    for name, flags in _iter_elf_symbols(code):
        if machine == _NVIDIA_MACHINE:
            if flags & _ENTRY_POINT_FLAG:
                names.add(name)
        elif name.endswith(".kd"):
            # AMD has a kernel descriptor for each kernel
            names.add(name.removesuffix(".kd"))

    return tuple(sorted(names))


def list_undefined_functions(ptx: bytes) -> tuple[str, ...]:
    """Return the functions that PTX calls and nothing defines, but for the driver's and
    libdevice's, sorted.
    """
    if ptx.startswith(_ELF_MAGIC):
        return ()

    externals = {name.decode() for name in _PTX_EXTERNAL_FUNCTION.findall(ptx)}
    undefined: list[str] = []
    for name in externals - _DRIVER_FUNCTIONS:
        if not name.startswith("__nv_"):
            undefined.append(name)

    return tuple(sorted(undefined))


def _iter_elf_symbols(code: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name and the `st_other` of each symbol; a broken file ends the iteration."""
    try:
        yield from _parse_elf_symbols(code)
    except (struct.error, IndexError, ValueError):
        return


def _parse_elf_symbols(code: bytes) -> Iterator[tuple[str, int]]:
    (table,) = struct.unpack_from("<Q", code, 0x28)
    header_size, count = struct.unpack_from("<HH", code, 0x3A)
    sections: list[tuple[int, ...]] = []
    for index in range(count):
        header = table + index * header_size
        sections.append(_SECTION_HEADER.unpack_from(code, header))

    for _, kind, _, _, offset, length, link, _, _, _ in sections:
        if kind not in _SYMBOL_TABLES:
            continue

        # The table is linked with the section of its strings.
        string_section = sections[link]
        strings = string_section[4]

        for position in range(offset, offset + length, _SYMBOL_ENTRY.size):
            name, _, other, *_ = _SYMBOL_ENTRY.unpack_from(code, position)
            start = strings + name
            end = code.index(b"\0", start)
            yield code[start:end].decode("utf-8", "replace"), other
