"""Which cache variables a project's presets, pyproject.toml and setup.py come down to."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from crawler.builds.cmake.cache_variables import (
    find_source_folder,
    read_cache_variables,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]


def read_variables(
    plant: Plant, files: dict[str, str], dialect: Dialect = Dialect.CUDA
) -> dict[str, str]:
    return read_cache_variables(plant(files).tree, ".", dialect, "/src")


def make_presets(*presets: object) -> dict[str, str]:
    return {"CMakePresets.json": json.dumps({"configurePresets": list(presets)})}


def test_a_preset_wins_over_its_parents_and_the_first_parent_over_the_second(
    plant: Plant,
) -> None:
    presets = make_presets(
        {"name": "a", "hidden": True, "cacheVariables": {"X": "a", "Y": "a", "Z": "a"}},
        {"name": "b", "hidden": True, "cacheVariables": {"X": "b", "Y": "b", "W": "b"}},
        {"name": "c", "inherits": ["a", "b"], "cacheVariables": {"X": "c"}},
    )
    assert read_variables(plant, presets) == {"X": "c", "Y": "a", "Z": "a", "W": "b"}


def test_a_shared_ancestor_does_not_win_over_what_stands_between(plant: Plant) -> None:
    presets = make_presets(
        {"name": "base", "hidden": True, "cacheVariables": {"X": "base"}},
        {"name": "far", "hidden": True, "inherits": "base"},
        {
            "name": "near",
            "hidden": True,
            "inherits": "base",
            "cacheVariables": {"X": "near"},
        },
        {"name": "p", "inherits": ["near", "far"]},
    )
    assert read_variables(plant, presets) == {"X": "near"}


@pytest.mark.parametrize("inherits", ["p", ["q"], ["nobody"], 3, [None], {"a": 1}])
def test_parents_that_lead_nowhere_leave_a_preset_its_own(
    inherits: object, plant: Plant
) -> None:
    presets = make_presets(
        {"name": "p", "inherits": inherits, "cacheVariables": {"X": "1"}},
        {"name": "q", "inherits": "p", "hidden": True},
    )
    assert read_variables(plant, presets) == {"X": "1"}


def test_the_preset_named_for_the_device_is_chosen(plant: Plant) -> None:
    presets = make_presets(
        {"name": "default", "cacheVariables": {"X": "plain"}},
        {"name": "linux-cuda", "cacheVariables": {"X": "cuda"}},
        {"name": "linux-hip", "cacheVariables": {"X": "hip"}},
    )
    assert read_variables(plant, presets) == {"X": "cuda"}
    assert read_variables(plant, presets, Dialect.HIP) == {"X": "hip"}


def test_a_preset_that_switches_the_device_on_is_better_than_the_first(
    plant: Plant,
) -> None:
    presets = make_presets(
        {"name": "fast", "cacheVariables": {"USE_CUDA": "OFF", "X": "1"}},
        {"name": "full", "cacheVariables": {"USE_CUDA": True, "X": "2"}},
    )
    assert read_variables(plant, presets) == {"USE_CUDA": "ON", "X": "2"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "ON"),
        (False, "OFF"),
        (7, "7"),
        (["a", "b"], "a;b"),
        ({"type": "STRING", "value": "x"}, "x"),
        ("${sourceDir}/cmake", "/src/cmake"),
    ],
)
def test_a_value_is_written_as_the_command_line_of_cmake_has_it(
    value: object, text: str, plant: Plant
) -> None:
    presets = make_presets({"name": "p", "cacheVariables": {"X": value}})
    assert read_variables(plant, presets) == {"X": text}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", None),
        ("X", 1.5),
        ("X", "$env{HOME}/lib"),
        ("CMAKE_CUDA_COMPILER", "/opt/nvcc"),
        ("CMAKE_BUILD_TYPE", "Debug"),
        ("Boost_DIR", "/home/a"),
        ("X Y", "1"),
        ("FETCHCONTENT_BASE_DIR", "x"),
    ],
)
def test_what_holds_on_one_machine_alone_is_not_set(
    name: str, value: object, plant: Plant
) -> None:
    presets = make_presets({"name": "p", "cacheVariables": {name: value}})
    assert read_variables(plant, presets) == {}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"configurePresets": {}}', "[" * 5000, '"\\ud800"']
)
def test_presets_that_are_no_presets_set_nothing(text: str, plant: Plant) -> None:
    assert read_variables(plant, {"CMakePresets.json": text}) == {}


def test_pyproject_wins_over_setup_py_and_a_preset_over_both(plant: Plant) -> None:
    files = {
        "setup.py": 'args = ["-DAA=1", "-DB:BOOL=1", "-DC=1", "-DD=OFF", "-DE={x}"]',
        "pyproject.toml": (
            '[tool.scikit-build.cmake]\nargs = ["-DB:BOOL=2", "-GNinja", 3, "-DF"]\n'
            "define.C = 2\ndefine.G = [1, 2]\n"
        ),
        **make_presets({"name": "p", "cacheVariables": {"C": "3"}}),
    }
    assert read_variables(plant, files) == {"AA": "1", "B": "2", "C": "3", "G": "1;2"}


@pytest.mark.parametrize(
    ("source_dir", "folder"),
    [
        ('"csrc"', "csrc"),
        ('"./csrc/"', "csrc"),
        ('"/etc"', None),
        ('"../up"', None),
        ("3", None),
    ],
)
def test_the_source_folder_of_a_package_lies_inside(
    source_dir: str, folder: str | None, plant: Plant
) -> None:
    text = f"[tool.scikit-build.cmake]\nsource-dir = {source_dir}\n"
    assert find_source_folder(plant({"pyproject.toml": text}).tree) == folder


@pytest.mark.parametrize(
    "text", ["tool = 1", "[tool]\nscikit-build = 1", "[tool.scikit-build]\ncmake = 1"]
)
def test_tables_that_are_no_tables_name_nothing(text: str, plant: Plant) -> None:
    files = {"pyproject.toml": text}
    assert find_source_folder(plant(files).tree) is None
    assert read_variables(plant, files) == {}
