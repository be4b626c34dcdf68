from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.build_files import version_requirements
from crawler.builds.build_files.version_requirements import (
    find_pkg_resources_import,
    find_version_requirements,
)
from crawler.checkout.include_graph import IncludeGraph

Plant = Callable[[dict[str, str]], IncludeGraph]


def list_requirements(graph: IncludeGraph) -> list[tuple[str, str, str]]:
    return [
        (requirement.name, requirement.asked, requirement.evidence)
        for requirement in find_version_requirements(graph.tree)
    ]


def test_metadata_of_the_package_comes_before_containers(plant: Plant) -> None:
    graph = plant(
        {
            "Dockerfile": "FROM nvidia/cuda:12.1.0-devel\n",
            "requirements.txt": "torch>=2.0\n",
            "pyproject.toml": "[project]\ndependencies = ['torch>=2.1']\n",
        }
    )
    assert list_requirements(graph) == [
        ("torch", ">=2.1", "pyproject.toml: dependencies"),
        ("torch", ">=2.0", "requirements.txt: line 1"),
        ("cuda", "==12.1.0", "Dockerfile: FROM nvidia/cuda:12.1.0-devel"),
    ]


def test_a_requirement_is_named_once_by_the_outermost_file(plant: Plant) -> None:
    graph = plant(
        {
            "a/requirements.txt": "numpy<2\n",
            "requirements.txt": "# first\nnumpy<2\n",
        }
    )
    assert list_requirements(graph) == [("numpy", "<2", "requirements.txt: line 2")]


@pytest.mark.parametrize(
    "path", ["a/b/c/d/requirements.txt", "third_party/x/requirements.txt", "notes.txt"]
)
def test_deep_vendored_and_other_files_are_not_read(plant: Plant, path: str) -> None:
    assert list_requirements(plant({path: "torch==1.0\n"})) == []


def test_the_number_of_requirements_is_bounded(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version_requirements, "_MAX_REQUIREMENTS", 3)
    lines = "".join(f"torch!=1.{minor}\n" for minor in range(9))
    assert len(list_requirements(plant({"requirements.txt": lines}))) == 3


def test_a_broken_file_says_what_stands_before_the_break(plant: Plant) -> None:
    graph = plant(
        {
            "pyproject.toml": "[project]\nrequires-python = '>=3.9'\n"
            "[build-system]\nrequires = ['numpy<2']\n[tool]\npoetry = 3\n",
            "setup.py": "setup(install_requires=['torch>=2'\n",
            "requirements.txt": "torch>=1.9\n",
        }
    )
    assert [name for name, _, _ in list_requirements(graph)] == [
        "python",
        "numpy",
        "torch",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("find_package(CUDAToolkit 12.0 REQUIRED)", ("cuda", ">=12.0")),
        ("find_package( hip 5.6 EXACT )", ("rocm", "==5.6")),
        ("find_package(Python3 3.8)", ("python", ">=3.8")),
        ("find_package(Torch 2.1)", ("torch", ">=2.1")),
        (
            'if("${HIP_VERSION}" VERSION_LESS "5.2")\n message( FATAL_ERROR "old")',
            ("rocm", ">=5.2"),
        ),
    ],
)
def test_cmake_names_what_it_needs(
    plant: Plant, line: str, expected: tuple[str, str]
) -> None:
    ((name, specifier, _),) = list_requirements(plant({"CMakeLists.txt": line}))
    assert (name, specifier) == expected


def test_a_setup_py_that_imports_pkg_resources_is_found(plant: Plant) -> None:
    graph = plant(
        {
            "third_party/x/setup.py": "import pkg_resources\n",
            "deep/setup.py": "from pkg_resources import parse_version\n",
            "setup.py": "# import pkg_resources\nimport setuptools\n",
        }
    )
    assert find_pkg_resources_import(graph.tree) == "deep/setup.py"


def test_without_such_an_import_no_file_is_named(plant: Plant) -> None:
    graph = plant({"setup.py": "import setuptools\n"})
    assert find_pkg_resources_import(graph.tree) == ""
