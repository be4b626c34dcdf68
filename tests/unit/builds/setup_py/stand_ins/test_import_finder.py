"""Which modules a `setup.py` gets: Python's own, its project's, or a stand-in."""

from __future__ import annotations

import importlib.machinery
import sys
from pathlib import Path

import pytest

from crawler.builds.setup_py.stand_ins.import_finder import (
    PlaceholderModule,
    StandInFinder,
)
from crawler.builds.setup_py.stand_ins.placeholder import CUDA_HOME, Placeholder


class MarkedLoader(importlib.machinery.SourceFileLoader):
    """A loader that is known to be the project's."""


@pytest.fixture
def finder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandInFinder:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/__init__.py").write_text("")
    (tmp_path / "tools/flags.py").write_text("FLAGS = ['-O3']\n")
    (tmp_path / "version.py").write_text("VERSION = '1'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return StandInFinder(str(tmp_path), MarkedLoader)


@pytest.mark.parametrize(
    "name",
    [
        "torch",
        "torch.utils.cpp_extension",
        "setuptools",
        "setuptools.command.build_ext",
        "numpy",
        "distutils.core",
        "distutils.command.build",
        "Cython.Build",
        "a_library_that_nobody_has",
    ],
)
def test_what_a_build_requires_has_a_stand_in(finder: StandInFinder, name: str) -> None:
    spec = finder.find_spec(name)
    assert spec
    assert spec.loader is finder
    assert spec.submodule_search_locations is not None


@pytest.mark.parametrize(
    "name", ["json", "os.path", "distutils.util", "packaging.version"]
)
def test_python_s_own_modules_are_left_to_python(
    finder: StandInFinder, name: str
) -> None:
    assert finder.find_spec(name) is None


@pytest.mark.parametrize("name", ["torch.xpu", "torch_npu", "torch_xla", "habana"])
def test_a_module_of_another_device_is_missing(
    finder: StandInFinder, name: str
) -> None:
    assert finder.find_spec(name) is None


def test_the_projects_own_modules_are_its_own(
    finder: StandInFinder, tmp_path: Path
) -> None:
    spec = finder.find_spec("version")
    assert spec
    assert isinstance(spec.loader, MarkedLoader)
    assert spec.origin == str(tmp_path / "version.py")


def test_a_module_within_the_projects_package_is_found_in_its_folder(
    finder: StandInFinder, tmp_path: Path
) -> None:
    spec = finder.find_spec("tools.flags", [str(tmp_path / "tools")])
    assert spec
    assert spec.origin == str(tmp_path / "tools/flags.py")
    missing = finder.find_spec("tools.flags", ["/elsewhere/tools"])
    assert missing
    assert missing.loader is finder


def test_a_stand_in_has_every_attribute_and_can_be_called(
    finder: StandInFinder,
) -> None:
    spec = finder.find_spec("torch")
    assert spec
    module = finder.create_module(spec)
    finder.exec_module(module)
    assert isinstance(module, PlaceholderModule)
    assert isinstance(module.anything, Placeholder)
    assert isinstance(module(1, key=2), Placeholder)
    # where a project looks for headers beside it
    assert module.__file__ == f"{CUDA_HOME}/__init__.py"
    assert module.__path__ == [CUDA_HOME]
