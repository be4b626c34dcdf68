"""How long a compiler may take for a kernel's program: its own time counts, not that of other
work.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.model import Dialect
from crawler.validate.emulator import compile_program, program
from crawler.validate.emulator.program import BuildOptions, build_cpu_program

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
template <int Deep, int At> struct Tree {
  static constexpr long value = Tree<Deep - 1, 2 * At>::value + Tree<Deep - 1, 2 * At + 1>::value;
};
template <int At> struct Tree<0, At> { static constexpr long value = At; };
__global__ void k(long* p) { *p = Tree<22, 1>::value; }
"""


def test_a_compiler_that_takes_too_much_of_the_processor_is_out_of_time(
    making: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(compile_program.COMPILE_LIMITS, cpu_seconds=2)
    monkeypatch.setattr(compile_program, "COMPILE_LIMITS", limits)
    monkeypatch.setattr(program, "COMPILE_LIMITS", limits)
    unit = making.unit(SOURCE, "k", Dialect.CUDA)
    assert build_cpu_program(unit, BuildOptions()).verdict.code == "compile-timeout"
