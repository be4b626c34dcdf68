"""Declarations are a stranger's texts: however long, they take time in proportion to their length."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.sources.dependencies.completion import list_declarers

BYTES = 200_000
MAX_RATIO = 8
"""Of the times that a text and a quarter of it take: 4 where time grows with the length, 16 where
it grows with its square.
"""
CMAKE, BAZEL, MESON = "CMakeLists.txt", "WORKSPACE", "subprojects/a.wrap"


def repeat(piece: str, size: int) -> str:
    return piece * (size // len(piece))


def measure(root: Path, path: str, text: str) -> float:
    """Return the least of three times that it takes to read one file by all declarers."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    tree = open_tree(root)
    times = []
    for _ in range(3):
        started = time.process_time()
        for declarer in list_declarers():
            list(declarer.find_declared(tree))
        times.append(time.process_time() - started)

    return min(times)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("path", "prefix", "piece", "suffix"),
    [
        (CMAKE, "", "#[[\n", ""),
        (CMAKE, "", "a(", ""),
        (CMAKE, "", 'a(" ', ""),
        (CMAKE, "", 'a(" a(" " ', ""),
        (CMAKE, "", "a(b() ", ""),
        (CMAKE, "a(", "x ", ""),
        (CMAKE, "a", " ", ""),
        (BAZEL, "", "git_repository(", ""),
        (BAZEL, "", "git_repository(() ", ""),
        (BAZEL, "git_repository(name=(", " ", "))"),
        (BAZEL, "", f"git_repository(name={' ' * 7_000})\n", ""),
        (BAZEL, "git_repository", " ", ""),
        (MESON, "[wrap-git]\nurl", " ", "x"),
        (MESON, "[wrap-git]\n", "a" + " " * 500, ""),
        (".gitmodules", '[submodule "x"]\npath = x', " ", "x"),
        (".gitmodules", "", " ", "x"),
        (".gitmodules", "", '[submodule "', ""),
    ],
)
def test_time_grows_with_the_length_alone(
    path: str, prefix: str, piece: str, suffix: str, tmp_path: Path
) -> None:
    short, long = (
        measure(tmp_path, path, prefix + repeat(piece, size) + suffix)
        for size in (BYTES // 4, BYTES)
    )
    # below 20 ms a clock measures little else than the machine
    assert long < max(0.02, MAX_RATIO * short)
