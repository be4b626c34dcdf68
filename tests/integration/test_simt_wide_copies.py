"""What is copied at once in more bytes than any access has is traced all the same."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.model import Status
from crawler.validate.simt.launch import Buffer, Launch, to
from crawler.validate.simt.program import Mode, build_cpu
from crawler.validate.simt.run import execute

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/hip.h>
typedef float wide __attribute__((ext_vector_type(8)));
constexpr unsigned bits(float value) { return __builtin_bit_cast(unsigned, value); }
__global__ void k(const float* in, float* out) {
  wide held;
  __builtin_memcpy(&held, in + 8 * threadIdx.x, sizeof(held));
  held = held * held + bits(1.0f);
  __builtin_memcpy(out + 8 * threadIdx.x, &held, sizeof(held));
}
"""


def test_a_vector_that_is_copied_is_read_whole(making: Any) -> None:
    program = build_cpu(making.unit(SOURCE), Mode(trace=True, quick=True))
    assert program.verdict.status is Status.PASS, program.verdict.message
    launch = Launch(
        grid=(1, 1, 1), block=(4, 1, 1), buffers=(Buffer(size=128), Buffer(size=128)), arguments=(to(0), to(1))
    )
    (done,) = execute(program, [launch])
    assert done.accesses[0].read == (0, 128)
    assert done.accesses[1].written == (0, 128)
    assert not done.findings
