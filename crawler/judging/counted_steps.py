"""Hold the steps of a right candidate against its reference's: no load of a machine changes them.

The count is kept in the candidate's own process: of a source that could reach it, nothing is said.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource

MOST_STEPS: Final = 1.25
"""Times the steps of the reference that are still as good: another way to write the same loop may
take a few more."""
_WAYS_TO_THE_COUNT: Final = (
    # what is not instrumented, or is no C++ at all: `asm volatile(…)`, `[[clang::…]]`
    "asm|__asm__|__asm|__attribute__|__attribute|__declspec|_Pragma|constructor"
    # the counter itself, and what clang calls to count
    r"|kernelset\w*|__sanitizer\w*|thread_steps"
    # what ends the process, or writes for it: nothing of these is a device's
    r"|exit|_exit|_Exit|quick_exit|abort|raise|syscall|vfork|fork|clone|exec\w+"
    r"|f?write|fdopen|fopen|fputs?|putc|puts|open\w*|dup2?|mmap|mprotect|dlopen|dlsym"
    r"|(?:long|set)jmp|signal|sigaction|atexit|pthread\w*|ofstream"
)
# a line that goes on in the next, within a word, too: `as\` and `m`
_SPLICE: Final = re.compile(r"\\[ \t]*\r?\n")
# a word of a candidate's code, comments and strings masked: `_exit` of `_exit(0)`
_WAY: Final = re.compile(rf"(?<!\w)(?:{_WAYS_TO_THE_COUNT})(?!\w)")
# what makes words out of others, or asks whether it is being counted: `a##b`, `#if defined(X)`
_MAKES_WORDS: Final = re.compile(
    r"##|%:%:|\[\[|<:<:|\\u|^[ \t]*#[ \t]*(?:if|elif|include)", re.M
)
# a wish to a compiler that changes no meaning is no such thing: `#pragma unroll 4`
_PRAGMA: Final = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(?!unroll\b|once\b)", re.M)


def can_be_counted(source: str) -> bool:
    """Tell whether nothing in a candidate could change what is counted of it."""
    code = MaskedSource(_SPLICE.sub("", source)).code
    patterns = (_WAY, _MAKES_WORDS, _PRAGMA)
    # a string may hold what is put in place of code: `_Pragma("…")` is found by its name
    return not any(pattern.search(code) for pattern in patterns)


def judge_steps(steps: int, reference_steps: int) -> bool | None:
    """Return whether a candidate takes at most as many steps as it may; `None` where they were
    not counted.
    """
    if steps < 0 or reference_steps < 0:
        return None
    return steps <= MOST_STEPS * reference_steps
