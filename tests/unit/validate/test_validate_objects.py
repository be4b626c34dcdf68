"""Reading objects: PTX entries, and ELF that may be anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.objects import kernels, undefined

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
    assert kernels(PTX) == ("_Z1jPf", "_Z1kIfEvPT_")


def test_functions_that_nothing_defines() -> None:
    assert undefined(PTX) == ("_Z7missingv",)


@given(st.binary(max_size=400))
def test_any_bytes_after_the_magic_are_survived(content: bytes) -> None:
    assert isinstance(kernels(b"\x7fELF\x02\x01" + content), tuple)
