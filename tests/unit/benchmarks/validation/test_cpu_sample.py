"""A sample of all kernels: drawn alike from each package, and weighed by how many definitions a
package has.
"""

from __future__ import annotations

import pytest

from benchmarks.validation.cpu_sample import (
    Definition,
    allot_samples,
    draw_interleaved,
    estimate_share,
    load_definitions,
)


def rows(package: str, count: int) -> list[Definition]:
    return [Definition(package, "a.cu", line, "k") for line in range(count)]


EVERY = {"large": rows("large", 900), "small": rows("small", 100)}


def line(package: str, cases: int) -> dict[str, object]:
    return {"package": package, "behaviour": "deterministic", "cases": cases}


def test_each_package_is_drawn_in_proportion_but_few_of_none() -> None:
    assert allot_samples({**EVERY, "tiny": rows("tiny", 2)}, 100) == {
        "large": 90,
        "small": 10,
        "tiny": 2,
    }
    assert allot_samples(EVERY, 5) == {"large": 4, "small": 3}


def test_a_beginning_of_a_sample_is_a_sample_and_a_seed_draws_the_same() -> None:
    drawn = draw_interleaved(EVERY, {"large": 90, "small": 10}, 7)
    assert len(set(drawn)) == 100
    assert sum(each.package == "small" for each in drawn[:50]) == 5
    assert drawn == draw_interleaved(EVERY, {"large": 90, "small": 10}, 7)
    assert drawn != draw_interleaved(EVERY, {"large": 90, "small": 10}, 8)


def test_packages_weigh_what_they_have() -> None:
    lines = [line("large", 6)] * 20 + [line("small", 5)] * 20
    found = estimate_share(EVERY, lines)
    assert found.share == pytest.approx(0.9)
    assert 0.7 < found.lower_bound < 0.9 < found.upper_bound <= 1
    assert estimate_share(EVERY, lines * 3).lower_bound > found.lower_bound


def test_what_was_not_drawn_is_not_reached() -> None:
    found = estimate_share(EVERY, [line("small", 6)] * 100)
    assert (found.share, found.unsampled_share) == (
        pytest.approx(0.1),
        pytest.approx(0.9),
    )
    assert found.lower_bound == found.upper_bound == found.share


def test_the_whole_list_is_what_is_drawn_from() -> None:
    assert sum(map(len, load_definitions().values())) == 1582
