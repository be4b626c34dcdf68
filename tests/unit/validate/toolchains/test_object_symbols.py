"""Reading objects: PTX entries, and ELF that may be anything."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.toolchains.object_symbols import (
    list_kernel_symbols,
    list_undefined_functions,
)

PTX = b"""
.version 8.5
.target sm_80
.extern .func  (.param .b32 func_retval0) vprintf
(
);
.extern .func _Z7missingv
()
;
.extern .func  (.param .b32 func_retval0) __nv_expf
(
);
.visible .entry _Z1kIfEvPT_(
	.param .u64 a
)
{ ret; }
.weak .entry _Z1jPf(
)
{ ret; }
.visible .func _Z6devicev()
{ ret; }
"""


def test_entries_of_ptx() -> None:
    assert list_kernel_symbols(PTX) == ("_Z1jPf", "_Z1kIfEvPT_")


def test_functions_that_nothing_defines() -> None:
    assert list_undefined_functions(PTX) == ("_Z7missingv",)


def elf(machine: int, symbols: dict[bytes, int]) -> bytes:
    """Return an object with nothing but symbols, each with what its format says of it."""
    names = b"\0" + b"\0".join(symbols) + b"\0"
    table = b"".join(
        struct.pack(
            "<IBBHQQ", names.index(b"\0" + name + b"\0") + 1, 0x12, other, 1, 0, 8
        )
        for name, other in symbols.items()
    )
    sections = struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, 64, len(table), 1, 0, 8, 24)
    sections += struct.pack(
        "<IIQQQQIIQQ", 0, 3, 0, 0, 64 + len(table), len(names), 0, 0, 1, 0
    )
    place = 64 + len(table) + len(names)
    head = b"\x7fELF\x02\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, 0, 0, place, 0, 64, 0, 0, 64, 2, 0
    )
    return head + table + names + sections


def test_kernels_of_a_code_object_of_amd_have_a_descriptor() -> None:
    assert list_kernel_symbols(
        elf(224, {b"_Z1kPf": 0, b"_Z1kPf.kd": 0, b"_Z6devicev": 0})
    ) == ("_Z1kPf",)


def test_kernels_of_a_cubin_are_its_entry_points() -> None:
    cubin = elf(190, {b"_Z1kPf": 0x10, b"_Z6devicev": 0, b"_Z1jPf": 0x10})
    assert list_kernel_symbols(cubin) == ("_Z1jPf", "_Z1kPf")
    assert list_undefined_functions(cubin + PTX) == ()


@given(st.binary(max_size=400))
def test_any_bytes_after_the_magic_are_survived(content: bytes) -> None:
    assert isinstance(list_kernel_symbols(b"\x7fELF\x02\x01" + content), tuple)
