"""Sizes that would not do are changed until a launch fits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.validate.evidence.host_assertions import find_host_assertions
from crawler.validate.evidence.launch_configuration import (
    LaunchConfiguration,
    ScalarParameter,
)
from crawler.validate.evidence.launch_site import LaunchSite

MAX_THREADS = 1 << 14


def configure(
    grid: str,
    block: str = "64",
    *,
    values: dict[str, int] | None = None,
    checks: str = "",
    definitions: dict[str, str] | None = None,
    template_threads: int = 0,
) -> LaunchConfiguration:
    site = LaunchSite(
        grid=grid,
        block=block,
        shared_bytes="0",
        arguments={},
        definitions=definitions or {},
        conditions=find_host_assertions(checks),
        template_threads=template_threads,
    )
    chosen = values or {}
    return site.configure(
        [ScalarParameter(name="n")],
        lambda text, _names, value: chosen.get(text, value),
        MAX_THREADS,
    )


def test_a_size_that_leaves_a_rest_is_rounded_up() -> None:
    configuration = configure("n / 48", values={"n": 100})
    assert configuration.free_variables["n"] == 144
    assert configuration.grid == (3, 1, 1)


def test_a_size_that_leaves_none_stays() -> None:
    assert configure("n / 48", values={"n": 96}).free_variables["n"] == 96


def test_a_size_is_found_behind_the_names_that_it_goes_by() -> None:
    definitions = {"count": "total", "total": "n"}
    configuration = configure("count / 32", values={"n": 33}, definitions=definitions)
    assert configuration.free_variables["n"] == 64


def test_no_size_is_made_divisible_by_what_is_no_tile() -> None:
    configuration = configure("n / 5000 + 1", values={"n": 6000})
    assert configuration.free_variables["n"] == 6000


def test_an_empty_grid_grows() -> None:
    configuration = configure("n / 256 * 2", values={"n": 3})
    assert configuration.grid[0] >= 2
    assert configuration.free_variables["n"] % 256 == 0


def test_a_grid_is_not_empty_where_one_size_divides_another() -> None:
    configuration = configure("n / (r * r) * m", values={"n": 3, "r": 6, "m": 5})
    sizes = configuration.free_variables
    assert sizes["r"] == 6
    assert sizes["n"] == 36
    assert configuration.grid == (5, 1, 1)


def test_no_size_grows_without_end_for_a_grid_that_stays_empty() -> None:
    configuration = configure("(n - n) * m", values={"n": 3, "m": 3})
    assert max(configuration.free_variables.values()) <= 1 << 18


def test_a_grid_that_is_too_large_shrinks_by_its_largest_variable() -> None:
    configuration = configure("dim3(n, m)", values={"n": 4000, "m": 3})
    assert configuration.thread_count <= MAX_THREADS
    assert configuration.free_variables["m"] == 3


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 1 << 18), st.integers(1, 1 << 10))
def test_whatever_is_chosen_the_grid_fits_and_agrees_with_its_size(
    size: int, rows: int
) -> None:
    configuration = configure(
        "dim3((n + 63) / 64, rows)", values={"n": size, "rows": rows}
    )
    sizes = configuration.free_variables
    assert configuration.thread_count <= MAX_THREADS
    assert configuration.grid == (math.ceil(sizes["n"] / 64), sizes["rows"], 1)
    assert configuration.scalars["n"] == sizes["n"]


def test_what_the_host_asserts_holds() -> None:
    configuration = configure(
        "n", values={"n": 30}, checks="TORCH_CHECK(n % 16 == 0); assert(n >= 64);"
    )
    size = configuration.free_variables["n"]
    assert size >= 64
    assert size % 16 == 0


def test_an_assertion_about_what_no_launch_asks_for_changes_nothing() -> None:
    configuration = configure("n", values={"n": 30}, checks="assert(other == 4);")
    assert configuration.free_variables == {"n": 30}


def test_a_grid_is_not_made_smaller_than_the_host_asserts() -> None:
    configuration = configure("n", values={"n": 10}, checks="assert(n >= 1000);")
    assert configuration.free_variables["n"] >= 1000


def test_a_contradiction_comes_to_an_end() -> None:
    configuration = configure(
        "n", values={"n": 10}, checks="assert(n > 100); assert(n < 50);"
    )
    assert configuration.free_variables["n"] >= 1


def test_a_block_has_the_threads_of_its_template_argument() -> None:
    configuration = configure("n", "dim3(width, 4)", template_threads=128)
    assert math.prod(configuration.block) in (128, 512)
    assert configuration.free_variables["width"] == 128


@pytest.mark.parametrize("grid", ["", "no grid at all", "f(", "{}"])
def test_a_grid_that_cannot_be_read_covers_an_ordinary_kernel(grid: str) -> None:
    configuration = configure(grid)
    assert min(configuration.grid) >= 1
    assert configuration.thread_count <= MAX_THREADS
