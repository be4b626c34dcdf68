"""Launches that macros make stand at their uses, each with its place in the macro."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.link import LinkedCommit, link_commit
from tests.unit.extract.launches.launch_sources import HEADER

MACROS = """#include "kernels.cuh"
#define CALL(N, ...) tiled<float, N><<<1, N>>>(__VA_ARGS__)
#define PICK(big, out)                  \\
  if (big) {                            \\
    tiled<int, 128><<<2, 128>>>(out);   \\
  } else {                              \\
    tiled<int, 64><<<1, 64>>>(out);     \\
  }
#define EITHER(N, out) \\
  case N: CALL(N, out); break;
#define GLUED(which, out) which##d<float, 1><<<5, 1>>>(out)
#define UNUSED(out) plain<<<9, 9>>>(out, 9)
void uses(float* f, int* i, int n) {
  PICK(n > 3, i);
  switch (n) {
    EITHER(8, f)
    EITHER(16, f)
  }
  GLUED(tile, f);
}
template <typename T> void left_alone(T* out) { CALL(32, out); }
#define ARGUMENTS out, \\
                  n + 1
#define CONFIGURATION 3, 4
void listed(float* out, int n) { plain<<<CONFIGURATION>>>(ARGUMENTS); }
"""


@pytest.fixture(scope="module")
def in_macros(project: Callable[..., Any]) -> LinkedCommit:
    return link_commit(project({"kernels.cuh": HEADER, "launch.cu": MACROS}).facts())


def test_each_launch_of_a_macro_is_one_at_the_use(in_macros: LinkedCommit) -> None:
    (tiled,) = [kernel for kernel in in_macros.kernels if kernel.name == "tiled"]
    rows = [
        (launch.grid, launch.block, launch.template_arguments, launch.argument_map)
        for launch in tiled.launches
    ]
    assert rows == [
        ("2", "128", (("int", "128"),), (("out", "i"),)),
        ("1", "64", (("int", "64"),), (("out", "i"),)),
        ("1", "8", (("float", "8"),), (("out", "f"),)),
        ("1", "16", (("float", "16"),), (("out", "f"),)),
        ("5", "1", (("float", "1"),), (("out", "f"),)),
        ("1", "32", (("float", "32"),), (("out", "out"),)),
    ]
    assert tiled.launches[0].span == tiled.launches[1].span
    bodies = [launch.body for launch in tiled.launches if launch.body]
    assert {MACROS[body.offset : body.end_offset] for body in bodies} == {"<<<"}


def test_a_macro_may_stand_for_a_list_of_arguments(in_macros: LinkedCommit) -> None:
    (plain,) = [kernel for kernel in in_macros.kernels if kernel.name == "plain"]
    (launch,) = plain.launches
    assert launch.argument_map == (("out", "out"), ("n", "n + 1"))
    assert (launch.grid, launch.block) == ("3", "4")


def test_a_launch_without_a_kernel_says_why(in_macros: LinkedCommit) -> None:
    reasons = {launch.callee: launch.reason for launch in in_macros.launches}
    assert reasons == {
        "tiled<float, N>": "expanded: its rows stand at 3 uses",
        "tiled<int, 128>": "expanded: its rows stand at 1 uses",
        "tiled<int, 64>": "expanded: its rows stand at 1 uses",
        "which##d<float, 1>": "expanded: its rows stand at 1 uses",
        "plain": "macro-unused: no use of it was seen",
    }
