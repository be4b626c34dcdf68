from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.builds.cmake.cache_variables import (
    find_source_folder,
    read_cache_variables,
)
from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.model import Dialect


def tree(root: Path, **files: str) -> SourceTree:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)
    return open_tree(root)


def preset(name: str, **variables: str) -> dict[str, object]:
    return {"name": name, "cacheVariables": variables}


def test_the_preset_of_a_dialect(tmp_path: Path) -> None:
    presets = [
        preset("debug", A="1"),
        preset("linux-cuda", B="2"),
        preset("rocm", C="${sourceDir}/x", D="$env{HOME}"),
    ]
    source_tree = tree(
        tmp_path, CMakePresets__json=json.dumps({"configurePresets": presets})
    )
    assert read_cache_variables(source_tree, ".", Dialect.CUDA, "/src") == {"B": "2"}
    assert read_cache_variables(source_tree, ".", Dialect.HIP, "/src") == {
        "C": "/src/x"
    }


def test_a_preset_that_inherits_from_itself_ends(tmp_path: Path) -> None:
    presets = [
        {"name": "a", "inherits": ["b", 3]},
        {"name": "b", "inherits": "a", "cacheVariables": {"X": True}},
    ]
    source_tree = tree(
        tmp_path, CMakePresets__json=json.dumps({"configurePresets": presets})
    )
    assert read_cache_variables(source_tree, ".", Dialect.CUDA, "/src") == {"X": "ON"}


def test_what_is_of_another_machine_or_of_ours_is_not_taken(tmp_path: Path) -> None:
    words = '["-DCMAKE_CUDA_COMPILER=/x", "-DGO_ROOT=/y", "-DCMAKE_PROJECT_INCLUDE=/z", "-DKEPT=1", "-DUSE_GPU=OFF"]'
    source_tree = tree(
        tmp_path,
        setup__py=f"args = {words}\n",
        pyproject__toml='[tool.scikit-build.cmake.define]\nL = ["a", "b"]\n',
    )
    assert read_cache_variables(source_tree, ".", Dialect.CUDA, "/src") == {
        "KEPT": "1",
        "L": "a;b",
    }


@pytest.mark.parametrize(
    "text",
    ["[", "tool = 3", "[tool]\nscikit-build = 1", '[tool.scikit-build]\ncmake = "x"'],
)
def test_a_table_of_another_shape_says_nothing(tmp_path: Path, text: str) -> None:
    source_tree = tree(tmp_path, pyproject__toml=text, CMakePresets__json="[" * 100_000)
    assert find_source_folder(source_tree) is None
    assert read_cache_variables(source_tree, ".", Dialect.CUDA, "/src") == {}


def test_a_source_folder_is_one_of_the_tree(tmp_path: Path) -> None:
    assert (
        find_source_folder(
            tree(
                tmp_path,
                pyproject__toml='[tool.scikit-build]\ncmake.source-dir = "a/./b"\n',
            )
        )
        == "a/b"
    )
    assert (
        find_source_folder(
            tree(
                tmp_path,
                pyproject__toml='[tool.scikit-build]\ncmake.source-dir = "../b"\n',
            )
        )
        is None
    )
