"""Copies of whole structures, each with a check of the addresses that it takes and gives.

A device refuses a `float4` at an address that is no multiple of 16. clang's own checks look at
members and numbers, and its instrumentation of copies forgets how they are aligned; between both,
in the code that clang makes before it optimises, each copy still says it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# over a source's text: casts to pointers, behind which a structure may lie at any address. Which of
# them are to structures a compiler alone knows; one too many costs time
_CAST: Final = re.compile(
    r"(?:\breinterpret_cast\s*<|\()\s*(?:(?:const|volatile|struct|typename)\s+)*"
    r"(?!(?:void|char|bool|short|int|long|unsigned|signed|float|double|u?int\d+_t|size_t)\b)"
    r"[A-Za-z_][\w:]*(?:\s*<[\w\s,:]*>)?(?:\s+const)?\s*\*\s*(?:const\s*)?[>)]"
)
# a call in clang's output, whose form is the same for every copy of a structure
_COPY: Final = re.compile(
    r"^  (?:tail )?call void @llvm\.mem(?:cpy|move)\.p0\.p0\.i64\("
    r"ptr (?:[a-z]+ )*align (\d+) (%[\w.]+), ptr (?:[a-z]+ )*align (\d+) (%[\w.]+), ",
    re.MULTILINE,
)
UNOPTIMISED_CODE: Final = ("-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
"""Flags that make clang write code for `check_copies`, which it then compiles on (`-x ir`)."""
_TRACING: Final = "-fsanitize=thread"
_COUNTING: Final = "-fprofile-instrument=clang"
_CHECK: Final = "kernelset_check_aligned"


def are_copies_checked(flags: Sequence[str]) -> bool:
    """Tell whether a program of these flags reports addresses at all; one that counts branches is
    compiled in one go.
    """
    return _TRACING in flags and _COUNTING not in flags


def may_misalign(source: str) -> bool:
    """Tell whether a source casts to pointers of its own types, or of vectors."""
    return _CAST.search(source) is not None


def check_copies(code: str) -> str:
    """Return clang's code of a source, not optimised, with a check in front of each copy of what
    has to be aligned.
    """
    checked, count = _COPY.subn(_put_checks_in_front, code)
    if not count or f"define hidden void @{_CHECK}(" in code:
        return checked

    return f"{checked}\ndeclare void @{_CHECK}(ptr, i64)\n"


def _put_checks_in_front(copy: re.Match[str]) -> str:
    checks = [
        f"  call void @{_CHECK}(ptr {place}, i64 {alignment})\n"
        for alignment, place in ((copy[1], copy[2]), (copy[3], copy[4]))
        if alignment != "1"
    ]
    return "".join((*checks, copy[0]))
