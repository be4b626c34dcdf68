"""The numbers that a launcher's own loop passes to a kernel."""

from __future__ import annotations

from crawler.validate.cpu.launcher_checks.loop_values import (
    find_host_loops,
    list_loop_values,
)


def list_values(text: str, **numbers: int) -> list[list[int] | None]:
    def evaluate(expression: str) -> int | None:
        words = expression.replace(" ", "")
        return int(words) if words.isdecimal() else numbers.get(words)

    values = [list_loop_values(loop, evaluate) for loop in find_host_loops(text)]
    return [None if each is None else sorted(each) for each in values]


def test_a_number_that_doubles_has_the_values_of_its_turns_alone() -> None:
    text = "for (int span = 2; span <= count; span *= 2) step<<<1, 64>>>(keys, span);"

    assert list_values(text, count=20) == [[2, 4, 8, 16]]


def test_a_number_that_is_shifted_down_ends_in_front_of_its_bound() -> None:
    text = "for (unsigned gap = width; gap > 1; gap >>= 1) { comb<<<2, 32>>>(x, gap); }"

    assert list_values(text, width=12) == [[3, 6, 12]]


def test_nothing_is_told_of_an_end_that_nobody_knows() -> None:
    assert list_values("for (int s = 1; s < limit(); s *= 2) f(s);") == [None]


def test_a_number_that_counts_has_the_values_of_its_turns() -> None:
    text = "for (int i = 0; i < n; ++i) f(i); for (;;) g();"

    assert list_values(text, n=3) == [[0, 1, 2]]
    assert list_values("for (int t = n; t > 0; t--) f(t);", n=3) == [[1, 2, 3]]
    assert list_values("for (int t = 0; t < n; t += 4) f(t);", n=9) == [[0, 4, 8]]


def test_a_number_that_changes_otherwise_may_be_any() -> None:
    assert list_values("for (int i = 0; i < n; i = next(i)) f(i);", n=3) == []


def test_a_loop_that_stays_where_it_begins_ends() -> None:
    assert list_values("for (int s = 0; s < n; s *= 2) f(s);", n=3) == [[0]]
