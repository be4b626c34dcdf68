"""Operands of inline assembly are parted for clang as they are for nvcc."""

from __future__ import annotations

import time

import pytest

from crawler.extract.nvcc.asm_operands import separate_asm_operands


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'asm("add %0, %1, %2;" : "=r"(x) : "r"(a.x) "r"(a.y), "r"(b));',
            'asm("add %0, %1, %2;" : "=r"(x) : "r"(a.x), "r"(a.y), "r"(b));',
        ),
        (
            'asm volatile("a;\\n"\n "b;\\n" :: "l"(p)\n  [n] "r"(n));',
            'asm volatile("a;\\n"\n "b;\\n" :: "l"(p),\n  [n] "r"(n));',
        ),
        ('asm("mov %0, %1;" : "=r"(x) : "r"(y) : "memory");', None),
        ('f(x) "r" (y); asm("a;" : "=r"(x));', None),
        ('print("asm(:)" "r"(x));', None),
        ('asm("', None),
    ],
)
def test_a_comma_comes_between_two_operands(text: str, expected: str | None) -> None:
    separated = separate_asm_operands(text)
    assert separated == (text if expected is None else expected)
    assert separate_asm_operands(separated) == separated


def test_assembly_without_an_end_is_read_at_once() -> None:
    start = time.process_time()
    separate_asm_operands('asm("a" : ' + '"r"(x) ' * 20_000)
    separate_asm_operands('asm("a" ' * 20_000)
    assert time.process_time() - start < 2
