"""Sources that tell nvcc from clang are read as nvcc reads them, macros that stand for a
`#pragma` among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.cpp.preprocessor import pragma_macros

_SOURCE = """
#if defined(__clang__) && defined(__CUDA__)
#define OLD_COMPILER 1
#endif
#define UNROLL #pragma unroll
#define LOOP(n) # pragma unroll (n)
#if !OLD_COMPILER
template <class T> __global__ void k(T* out) {
  UNROLL
  for (int i = 0; i < 4; ++i) out[i] = T(i);
}
void launch(float* out) { k<<<1, 32>>>(out); }
#endif
"""


def test_a_unit_holds_them_as_every_compiler_takes_them(
    project: Callable[..., Any],
) -> None:
    made = project({"k.cu": _SOURCE})
    (facts,) = made.facts()
    assert facts.diagnostics == ()
    (kernel,) = made.kernels()
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("float",)
    ]
    assert '#define UNROLL _Pragma("unroll")\n' in kernel.unit.source


def test_a_parse_sees_nothing_in_their_place_and_all_else_where_it_was() -> None:
    blanked = pragma_macros.blank_pragma_macros(_SOURCE)
    assert len(blanked) == len(_SOURCE)
    assert "#pragma" not in blanked
    assert blanked.index("for (int") == _SOURCE.index("for (int")
    assert (
        pragma_macros.convert_to_pragma_operator("#define LOOP(n) # pragma unroll (n)")
        == '#define LOOP(n) _Pragma("unroll (n)")'
    )
    assert (
        pragma_macros.convert_to_pragma_operator('#define SAY #pragma message "a"')
        == r'#define SAY _Pragma("message \"a\"")'
    )
    assert (
        pragma_macros.convert_to_pragma_operator("#define pragma_free 1")
        == "#define pragma_free 1"
    )


def test_a_long_line_of_blanks_costs_no_more_than_its_length() -> None:
    text = "#define A #pragma " + " " * 100_000 + "\\x"
    assert pragma_macros.blank_pragma_macros(text) == text
