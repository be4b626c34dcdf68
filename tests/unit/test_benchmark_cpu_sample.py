"""A sample of all kernels: drawn alike from each package, and weighed by how many definitions a package has."""

from __future__ import annotations

import pytest

from benchmarks.cpu_sample import Definition, allotted, definitions, estimated, interleaved


def rows(package: str, count: int) -> list[Definition]:
    return [Definition(package, "a.cu", line, "k") for line in range(count)]


EVERY = {"large": rows("large", 900), "small": rows("small", 100)}


def line(package: str, cases: int) -> dict[str, object]:
    return {"package": package, "behaviour": "deterministic", "cases": cases}


def test_each_package_is_drawn_in_proportion_but_few_of_none() -> None:
    assert allotted({**EVERY, "tiny": rows("tiny", 2)}, 100) == {"large": 90, "small": 10, "tiny": 2}
    assert allotted(EVERY, 5) == {"large": 4, "small": 3}


def test_a_beginning_of_a_sample_is_a_sample_and_a_seed_draws_the_same() -> None:
    drawn = interleaved(EVERY, {"large": 90, "small": 10}, 7)
    assert len(set(drawn)) == 100
    assert sum(each.package == "small" for each in drawn[:50]) == 5
    assert drawn == interleaved(EVERY, {"large": 90, "small": 10}, 7)
    assert drawn != interleaved(EVERY, {"large": 90, "small": 10}, 8)


def test_packages_weigh_what_they_have() -> None:
    lines = [line("large", 6)] * 20 + [line("small", 5)] * 20
    found = estimated(EVERY, lines)
    assert found.share == pytest.approx(0.9)
    assert 0.7 < found.least < 0.9 < found.most <= 1
    assert estimated(EVERY, lines * 3).least > found.least


def test_what_was_not_drawn_is_not_reached() -> None:
    found = estimated(EVERY, [line("small", 6)] * 100)
    assert (found.share, found.unseen) == (pytest.approx(0.1), pytest.approx(0.9))
    assert found.least == found.most == found.share


def test_the_whole_list_is_what_is_drawn_from() -> None:
    assert sum(map(len, definitions().values())) == 1582
