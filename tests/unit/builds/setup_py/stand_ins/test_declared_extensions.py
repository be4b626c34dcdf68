from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.setup_py.stand_ins.declared_extensions import (
    DECLARED_EXTENSIONS,
    Command,
    Extension,
    load,
    setup,
)
from crawler.builds.setup_py.stand_ins.placeholder import Placeholder


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.cu").touch()
    DECLARED_EXTENSIONS.clear()
    yield tmp_path
    DECLARED_EXTENSIONS.clear()


def test_an_extension_is_recorded_with_its_folder(project: Path) -> None:
    Extension("ops", ["here.cu"], include_dirs=["include"])
    (declared,) = DECLARED_EXTENSIONS
    assert declared["name"] == "ops"
    assert declared["sources"] == ["here.cu"]
    assert declared["include_dirs"] == ["include"]
    assert declared["define_macros"] == []
    assert declared["directory"] == str(project)


def test_what_is_changed_later_is_recorded_too() -> None:
    extension: Any = Extension("ops", ["here.cu"])
    extension.sources.append("later.cu")
    extension.define_macros = [("WITH_CUDA", None)]
    (declared,) = DECLARED_EXTENSIONS
    assert declared["sources"] == ["here.cu", "later.cu"]
    assert declared["define_macros"] == [("WITH_CUDA", None)]


def test_a_compilation_at_run_time_is_recorded_as_an_extension() -> None:
    load(
        "ops",
        "here.cu",
        extra_cuda_cflags=["--use_fast_math"],
        extra_include_paths=["include"],
    )
    (declared,) = DECLARED_EXTENSIONS
    assert declared["sources"] == ["here.cu"]
    assert declared["include_dirs"] == ["include"]
    assert declared["extra_compile_args"] == {"cxx": [], "nvcc": ["--use_fast_math"]}


def test_folders_that_setup_is_given_come_after_an_extensions_own() -> None:
    Extension("ops", ["here.cu"], include_dirs="own")
    setup(include_dirs=os.pathsep.join(["common", "more"]))
    assert DECLARED_EXTENSIONS[0]["include_dirs"] == ["own", "common", "more"]


class GeneratingCommand(Command):
    """Knows its sources only when it runs."""

    def initialize_options(self) -> None:
        raise RuntimeError("no compiler here")

    def run(self) -> None:
        Extension("generated", ["here.cu"])


def test_a_command_runs_where_nothing_is_declared_whatever_of_it_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    setup(cmdclass={"build_ext": GeneratingCommand})
    assert [declared["name"] for declared in DECLARED_EXTENSIONS] == ["generated"]
    output = capsys.readouterr().out
    assert "GeneratingCommand: RuntimeError: no compiler here" in output


def test_a_command_runs_where_a_source_does_not_exist_yet() -> None:
    Extension("ops", ["generated.cu"])
    setup(cmdclass={"build_ext": GeneratingCommand})
    assert len(DECLARED_EXTENSIONS) == 2


def test_no_command_runs_where_every_source_exists() -> None:
    Extension("ops", ["here.cu"])
    setup(cmdclass={"build_ext": GeneratingCommand})
    assert len(DECLARED_EXTENSIONS) == 1


def test_a_command_builds_every_extension_of_setup() -> None:
    built: list[object] = []

    class Build(Command):
        def build_extension(self, extension: object) -> None:
            built.append(extension)

    setup(cmdclass={"build_ext": Build}, ext_modules=["first", "second"])
    assert built == ["first", "second"]


def test_a_command_has_every_attribute_and_no_special_one() -> None:
    anything: Any = Command
    assert anything.with_options(no_python_abi_suffix=True) is Command
    assert isinstance(anything.user_options, Placeholder)
    assert isinstance(anything().distribution, Placeholder)
    with pytest.raises(AttributeError):
        _ = anything().__wrapped__
