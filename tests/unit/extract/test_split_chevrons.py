"""Launches whose chevrons an editor has torn apart are launches all the same, as nvcc sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.extraction.launch_tokens import find_launch_tokens
from crawler.cpp.files.split_chevrons import rejoin_chevrons
from crawler.extract.link import link_commit

_HEADER = """
template <typename T, int N> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by * N; }
template <typename T> void in_header(T *p) { scale<T, 3> << <1, 2 >> > (p, T(1)); }
"""
_UNIT = """
#include "scale.cuh"
__global__ void plain(int *p) { printf("a << <b >> > ("); *p = 1; }
void run(float *p, int *q, int n) {
  scale<float, 2> << < (n + 255) / 256, 256, 0 >> > (
      p,
      1.5f);
  plain<<<1, n >> 2>> >(q);
  in_header<double>(nullptr);
}
"""


@pytest.mark.parametrize(
    ("torn", "whole"),
    [
        ("k << <1, 2 >> > (p);", "k <<< 1, 2 >>>  (p);"),
        ("k<T> <<<a >> 2, b[i >> 1]>> >(p);", "k<T> <<<a >> 2, b[i >> 1]>>> (p);"),
        ("k<<<1, 2> >> (p);", "k<<<1, 2>>>  (p);"),
        ("v<v<v<int> >> (x); ostream& operator<< <T>(a); w<w<int>> >(q);", ""),
        ('puts("k << <1, 2 >> > (p)"); // k << <1, 2 >> > (p);', ""),
    ],
)
def test_only_the_chevrons_of_launches_are_put_together(torn: str, whole: str) -> None:
    assert rejoin_chevrons(torn) == (whole or torn)


def test_torn_chevrons_launch_what_the_compiler_resolves(
    project: Callable[..., Any],
) -> None:
    linked = link_commit(project({"run.cu": _UNIT, "scale.cuh": _HEADER}).facts())
    scale, plain = sorted(linked.kernels, key=lambda kernel: kernel.name, reverse=True)
    assert {launch.template_arguments for launch in scale.launches} == {
        (("float", "2"),),
        (("double", "3"),),
    }
    written = next(launch for launch in scale.launches if launch.span.path == "run.cu")
    assert (written.grid, written.block, written.enclosing) == (
        "(n + 255) / 256",
        "256",
        "run",
    )
    assert written.argument_map == (("p", "p"), ("by", "1.5f"))
    assert [(launch.block, launch.found_by) for launch in plain.launches] == [
        ("n >> 2", "ast")
    ]
    assert 'printf("a << <b >> > (");' in plain.source
    assert not linked.launches


def test_the_independent_count_has_torn_chevrons_too() -> None:
    tokens = [
        (token.text, token.line)
        for token in find_launch_tokens(_UNIT + "std::ostream &operator<< <int>(int);")
    ]
    assert tokens == [("<<<", 5), ("<<<", 8)]
