from __future__ import annotations

import time
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.bazel.glob_patterns import matches_glob


def matches(path: str, pattern: str) -> bool:
    return matches_glob(tuple(path.split("/")), tuple(pattern.split("/")))


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("k.cu", "*.cu", True),
        ("src/k.cu", "*.cu", False),
        ("src/k.cu", "src/*.cu", True),
        ("k.cu", "**/*.cu", True),
        ("a/b/k.cu", "**/*.cu", True),
        ("a/b/k.cu", "a/**", True),
        ("a", "a/**", True),
        ("a/b/c/k.cu", "a/**/c/*.cu", True),
        ("a/c/k.cu", "a/**/c/*.cu", True),
        ("a/b/k.cu", "a/**/c/*.cu", False),
        ("k1.cu", "k?.cu", True),
        ("k[1].cu", "k[1].cu", True),
        ("k1.cu", "k[1].cu", False),
        ("a/b", "**/**/b", True),
        ("k.cu", "k.cu/**/x", False),
    ],
)
def test_patterns_mean_what_bazels_do(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, pattern) is expected


NAMES = st.lists(st.sampled_from(["a", "b", "k.cu"]), min_size=1, max_size=4)


@given(NAMES.map("/".join))
def test_a_path_matches_itself_and_any_folder_above(path: str) -> None:
    assert matches(path, path)
    assert matches(path, "**")
    assert matches(path, "**/" + PurePosixPath(path).name)


def test_many_double_stars_take_no_exponential_time() -> None:
    started = time.process_time()
    assert not matches("/".join("a" * 60), "/".join(["**", "a"] * 30) + "/b")
    assert time.process_time() - started < 2
