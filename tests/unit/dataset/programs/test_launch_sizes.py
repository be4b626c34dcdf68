"""Which sizes a launch depends on, by the kernel's text and the project's launches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.dataset.programs.launch_sizes import find_sized_axes, put_bounds_first
from crawler.model import Launch
from tests.plain import HERE, plain_kernel, plain_unit

KERNEL = plain_kernel(plain_unit(""))


@pytest.mark.parametrize(
    ("grid", "setup", "axes"),
    [
        ("1", "", set()),
        ("dim3(1, 2)", "", set()),
        ("BLOCKS(n)", "", {0}),
        ("dim3(1, f(n, 2), 3)", "", {1}),
        ("{1, 1, n}", "", {2}),
        ("grid", "dim3 grid(1, n);", {1}),
        ("blocks", "const int blocks = 4;", set()),
    ],
)
def test_an_axis_is_sized_where_the_project_gives_it_no_number(
    grid: str, setup: str, axes: set[int]
) -> None:
    launch = Launch(span=HERE, kernel_name="k", grid=grid, block="1", setup=setup)
    assert find_sized_axes(replace(KERNEL, launches=(launch,))) == axes


def test_what_an_index_is_held_against_comes_first() -> None:
    source = (
        "void k() { /* i < k */ if (i >= m) return; for (j = 0; j < dim; ++j) f(); }"
    )
    variables = {"k_": 1, "dim_": 2, "x_.numel()": 3, "m_": 4}
    kernel = replace(KERNEL, source=source)
    assert list(put_bounds_first(kernel, variables)) == [
        "m_",
        "dim_",
        "k_",
        "x_.numel()",
    ]
