"""A sample of all kernels: drawn alike from each package, and weighed by how many definitions a
package has.
"""

from __future__ import annotations

import pytest

from benchmarks.validation.definition_sample import (
    Definition,
    allot_samples,
    draw_interleaved,
    estimate_share,
    load_definitions,
)


def make_definitions(package: str, count: int) -> list[Definition]:
    return [Definition(package, "a.cu", line, "k") for line in range(count)]


EVERY = {
    "large": make_definitions("large", 900),
    "small": make_definitions("small", 100),
}


def make_line(package: str, cases: int) -> dict[str, object]:
    return {"package": package, "behaviour": "deterministic", "cases": cases}


def test_each_package_is_drawn_in_proportion_but_few_of_none() -> None:
    assert allot_samples({**EVERY, "tiny": make_definitions("tiny", 2)}, 100) == {
        "large": 90,
        "small": 10,
        "tiny": 2,
    }
    assert allot_samples(EVERY, 5) == {"large": 4, "small": 3}


def test_a_beginning_of_a_sample_is_a_sample_and_a_seed_draws_the_same() -> None:
    drawn = draw_interleaved(EVERY, {"large": 90, "small": 10}, 7)
    assert len(set(drawn)) == 100
    assert sum(definition.package == "small" for definition in drawn[:50]) == 5
    assert drawn == draw_interleaved(EVERY, {"large": 90, "small": 10}, 7)
    assert drawn != draw_interleaved(EVERY, {"large": 90, "small": 10}, 8)


def test_packages_weigh_what_they_have() -> None:
    lines = [make_line("large", 6)] * 20 + [make_line("small", 5)] * 20
    estimate = estimate_share(EVERY, lines)
    assert estimate.share == pytest.approx(0.9)
    assert 0.7 < estimate.lower_bound < 0.9 < estimate.upper_bound <= 1
    assert estimate_share(EVERY, lines * 3).lower_bound > estimate.lower_bound


def test_what_was_not_drawn_is_not_reached() -> None:
    estimate = estimate_share(EVERY, [make_line("small", 6)] * 100)
    assert estimate.share == pytest.approx(0.1)
    assert estimate.unsampled_share == pytest.approx(0.9)
    assert estimate.lower_bound == estimate.upper_bound == estimate.share


def test_the_whole_list_is_what_is_drawn_from() -> None:
    assert sum(map(len, load_definitions().values())) == 1582
