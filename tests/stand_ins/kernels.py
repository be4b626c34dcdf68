"""Kernels that ought to pass, and kernels that try to: one unit whose instantiations are all of
them.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from enum import IntEnum, auto

from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Dialect,
    Instantiation,
    KernelUnit,
    Suite,
)
from crawler.validate.values.blobs import Blobs


class Does(IntEnum):
    """What an instantiation does with `out[i] = 2 * a[i] + 1` for i < n."""

    ITS_WORK = 0
    NOTHING = auto()
    A_CONSTANT = auto()
    CHANGES_ITS_INPUT = auto()
    WRITES_BEHIND = auto()
    WRITES_BEFORE = auto()
    LEAVES_NAN = auto()
    NEVER_ENDS = auto()
    TRAPS = auto()
    LEAVES_MEMORY = auto()
    WRITES_HALF = auto()
    NEEDS_NAN = auto()
    SEES_ITS_LAST_RUN = auto()
    WORKS_THREE_TIMES = auto()
    COPIES_ITS_INPUT = auto()
    KNOWS_ONE_SIZE = auto()
    ROUNDS_TO_HALF = auto()


SOURCE = """#include <kernelset/{prelude}>
template <int Case> struct is {{}};
__device__ int times;
__device__ inline void work(const float* a, float* out, int i) {{ out[i] = 2 * a[i] + 1; }}
__device__ inline void body(is<0>, const float* a, float* out, int i) {{ work(a, out, i); }}
__device__ inline void body(is<1>, const float*, float*, int) {{}}
__device__ inline void body(is<2>, const float*, float* out, int i) {{ out[i] = 1.5f; }}
__device__ inline void body(is<3>, const float* a, float* out, int i) {{
  work(a, out, i);
  if (i == 1) const_cast<float*>(a)[0] = 0;
}}
__device__ inline void body(is<4>, const float* a, float* out, int i) {{
  work(a, out, i);
  if (i == 0) out[103] = 1;
}}
__device__ inline void body(is<5>, const float* a, float* out, int i) {{
  work(a, out, i);
  if (i == 0) out[-2] = 1;
}}
__device__ inline void body(is<6>, const float* a, float* out, int i) {{
  if (a[i] == a[i]) work(a, out, i);
}}
__device__ inline void body(is<7>, const float* a, float* out, int i) {{
  while (*static_cast<const volatile float*>(a) != -12345.0f) {{}}
}}
__device__ inline void body(is<8>, const float*, float*, int) {{ __builtin_trap(); }}
__device__ inline void body(is<9>, const float*, float* out, int) {{ *(out + (1ll << 40)) = 1; }}
__device__ inline void body(is<10>, const float* a, float* out, int i) {{
  if (i % 2) work(a, out, i);
}}
__device__ inline void body(is<11>, const float* a, float* out, int i) {{
  if (out[i] != out[i]) work(a, out, i);
}}
__device__ inline void body(is<12>, const float* a, float* out, int i) {{
  if (!times) work(a, out, i);
  else out[i] = -1;
}}
__device__ inline void body(is<13>, const float* a, float* out, int i) {{
  if (times < 3) work(a, out, i);
}}
__device__ inline void body(is<14>, const float* a, float* out, int i) {{ out[i] = a[i]; }}
__device__ inline void body(is<15>, const float* a, float* out, int i) {{
  if (gridDim.x == 4) work(a, out, i);
}}
__device__ inline void body(is<16>, const float* a, float* out, int i) {{
  work(a, out, i);
  int bits;
  __builtin_memcpy(&bits, out + i, 4);
  bits &= -1 << 13;
  __builtin_memcpy(out + i, &bits, 4);
}}
template <int Case> __global__ void k(const float* a, float* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body(is<Case>(), a, out, i);
  if (i == int(gridDim.x * blockDim.x) - 1) times = times + 1;
}}
"""
PRELUDES = {Dialect.CUDA: "cuda.cuh", Dialect.HIP: "hip.h"}


def symbol(does: Does) -> str:
    return f"_Z1kILi{does.value}EEvPKfPfi"


def unit(dialect: Dialect) -> KernelUnit:
    lines = "".join(
        f"template __global__ decltype(k<{does.value}>) k<{does.value}>;\n"
        for does in Does
    )
    source = SOURCE.format(prelude=PRELUDES[dialect]) + lines
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="k",
        instantiations=tuple(
            Instantiation(
                arguments=(str(does.value),), label=str(does.value), symbol=symbol(does)
            )
            for does in Does
        ),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def case(
    does: Does,
    blobs: Blobs,
    *,
    n: int = 100,
    name: str = "ordinary",
    shared_bytes: int = 0,
) -> Case:
    """Return a case with its golden output, computed here."""
    # thirds have more digits than half a number of 32 bits holds
    parts = 3 if does is Does.ROUNDS_TO_HALF else 4
    numbers = [((7 * index) % 19 - 9) / parts for index in range(n)]
    values = struct.unpack(f"<{n}f", _floats(numbers))
    results = [2 * value + 1 for value in values]
    content = blobs.put(_with_nan(_floats(values), does))
    gold = blobs.put(_with_nan(_floats(results), does))
    buffers = (
        CaseBuffer(
            name="a",
            element="float",
            element_size=4,
            size=4 * n,
            role=BufferRole.IN,
            content=content,
        ),
        CaseBuffer(
            name="out",
            element="float",
            element_size=4,
            size=4 * n,
            role=BufferRole.OUT,
            gold=gold,
            written=(0, 4 * n),
        ),
    )
    return Case(
        name=name,
        kind=CaseKind.ORDINARY,
        entry=does.value,
        grid=((n + 31) // 32, 1, 1),
        block=(32, 1, 1),
        shared_bytes=shared_bytes,
        arguments=(
            CaseArgument(
                name="a", content="00" * 8, pointers=(CasePointer(at=0, buffer=0),)
            ),
            CaseArgument(
                name="out", content="00" * 8, pointers=(CasePointer(at=0, buffer=1),)
            ),
            CaseArgument(name="n", content=struct.pack("<i", n).hex()),
        ),
        buffers=buffers,
    )


def suite(unit: KernelUnit, cases: Sequence[Case]) -> Suite:
    return Suite(unit=unit.digest, seed=0, cases=tuple(cases))


def suite_of(does: Does, unit: KernelUnit, blobs: Blobs) -> Suite:
    ordinary = case(does, blobs)
    smallest = case(does, blobs, n=7, name="smallest")
    return suite(unit, (ordinary, smallest))


def _with_nan(floats: bytes, does: Does) -> bytes:
    """Put a NaN that is 0xFF throughout, as outputs are before, where a kernel is there that
    leaves it out.
    """
    if does is not Does.LEAVES_NAN:
        return floats
    return floats[:12] + b"\xff" * 4 + floats[16:]


def _floats(values: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)
