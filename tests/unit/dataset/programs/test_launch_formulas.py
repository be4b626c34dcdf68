"""A launch is a formula over what a kernel takes, where the traced cases bear it out."""

from __future__ import annotations

from crawler.dataset.programs.launch_formulas import LaunchFormula, find_launch_formula
from crawler.model import Case, CaseKind

Extent = tuple[int, int, int]


def find(
    *launches: tuple[dict[str, int], Extent, Extent, int],
    sized_axes: tuple[int, ...] = (),
) -> LaunchFormula | None:
    cases = [
        Case(
            name=f"case-{number}",
            kind=CaseKind.ORDINARY,
            grid=grid,
            block=block,
            shared_bytes=shared,
        )
        for number, (_, grid, block, shared) in enumerate(launches)
    ]
    return find_launch_formula(cases, [values for values, *_ in launches], sized_axes)


def test_blocks_are_laid_over_a_size() -> None:
    formula = find(
        ({"n": 300}, (3, 1, 1), (128, 1, 1), 0),
        ({"n": 1}, (1, 1, 1), (128, 1, 1), 0),
        ({"n": 1280}, (10, 1, 1), (128, 1, 1), 0),
    )
    assert formula == LaunchFormula(
        grid=("launcher::divide_up(n, threads.x)", "1", "1"),
        block=("128", "1", "1"),
        shared_bytes="0",
        positions=(0, 1, 2),
    )


def test_a_case_with_another_launch_is_left_out() -> None:
    formula = find(
        ({"n": 300}, (3, 1, 1), (128, 1, 1), 0),
        ({"n": 300}, (10, 1, 1), (32, 1, 1), 0),
        ({"n": 300}, (1, 1, 1), (128, 1, 1), 0),
        ({"n": 129}, (2, 1, 1), (128, 1, 1), 0),
        ({"n": 1280}, (10, 1, 1), (128, 1, 1), 0),
    )
    assert formula
    assert formula.positions == (0, 3, 4)


def test_a_block_and_its_shared_memory_follow_from_sizes() -> None:
    formula = find(
        ({"x.numel()": 90, "columns": 10}, (9, 1, 1), (10, 1, 1), 40),
        ({"x.numel()": 16, "columns": 4}, (4, 1, 1), (4, 1, 1), 16),
        ({"x.numel()": 30, "columns": 6}, (5, 1, 1), (6, 1, 1), 24),
    )
    assert formula
    assert formula.block == ("columns", "1", "1")
    assert formula.grid[0] == "launcher::divide_up(x.numel(), threads.x)"
    assert formula.shared_bytes == "columns * 4"


def test_a_product_of_two_sizes_and_a_second_axis() -> None:
    formula = find(
        ({"a": 7, "b": 100}, (6, 7, 1), (128, 1, 1), 0),
        ({"a": 2, "b": 300}, (5, 2, 1), (128, 1, 1), 0),
        ({"a": 11, "b": 128}, (11, 11, 1), (128, 1, 1), 0),
    )
    assert formula
    assert formula.grid == ("launcher::divide_up(a * b, threads.x)", "a", "1")


def test_launches_that_follow_from_nothing_have_no_formula() -> None:
    assert find() is None
    assert (
        find(
            ({"n": 300}, (3, 1, 1), (128, 1, 1), 0),
            ({"n": 301}, (17, 1, 1), (128, 1, 1), 0),
            ({"n": 500}, (5, 1, 1), (128, 1, 1), 0),
            ({"n": 900}, (2, 1, 1), (128, 1, 1), 0),
        )
        is None
    )


def test_two_points_are_not_enough() -> None:
    assert (
        find(
            ({"n": 300}, (3, 1, 1), (128, 1, 1), 0),
            ({"n": 10}, (1, 1, 1), (128, 1, 1), 0),
        )
        is None
    )


def test_one_block_for_all_small_cases_follows_from_a_size_where_the_project_has_one() -> (
    None
):
    launches = [({"n": n}, (1, 1, 1), (128, 1, 1), 0) for n in (100, 3, 128)]
    fixed, sized = find(*launches), find(*launches, sized_axes=(0,))
    assert fixed
    assert sized
    assert fixed.grid == ("1", "1", "1")
    assert sized.grid == ("launcher::divide_up(n, threads.x)", "1", "1")
