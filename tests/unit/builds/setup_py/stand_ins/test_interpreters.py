"""The stand-ins change a whole interpreter, so each test starts one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.setup_py.stand_ins import child_interpreters

ROOT = Path(__file__).resolve().parents[5]


def run_python(source: str, *folders: Path, cwd: Path) -> str:
    paths = [str(ROOT), *map(str, folders)]
    completed = subprocess.run(
        [sys.executable, "-c", source],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    return completed.stdout.strip()


def record(
    folder: Path, setup: str = "", *, modules: tuple[str, ...] = (), **options: Any
) -> dict[str, Any]:
    """Run the stand-ins over a `setup.py` in `folder`, and return what they recorded."""
    (folder / "setup.py").write_text(setup)
    request = {
        "root": str(folder),
        "setup": str(folder / "setup.py") if setup else "",
        "modules": [str(folder / name) for name in modules],
        "stubborn": False,
        "hip": False,
        "versions": {},
        **options,
    }
    record_path = folder / "record.json"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "crawler.builds.setup_py.stand_ins",
            json.dumps(request),
            str(record_path),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    recorded: dict[str, Any] = json.loads(record_path.read_text())
    return recorded


def test_the_hook_installs_stand_ins_in_a_child_interpreter(tmp_path: Path) -> None:
    (tmp_path / child_interpreters.HOOK_NAME).write_text(child_interpreters.HOOK_SOURCE)
    output = run_python(
        "import torch; print(type(torch).__name__)", tmp_path, cwd=tmp_path
    )
    assert output == "PlaceholderModule"


def test_the_hook_does_nothing_in_another_python(tmp_path: Path) -> None:
    hook = child_interpreters.HOOK_SOURCE
    source = f"import sys; sys.modules['crawler'] = None\n{hook}\nprint('went on')"
    assert run_python(source, cwd=tmp_path) == "went on"


def test_an_extension_and_the_variables_that_were_read_are_recorded(
    tmp_path: Path,
) -> None:
    recorded = record(
        tmp_path,
        """
import os
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
os.environ.get("WITH_CUDA")
"BUILD_OPS" in os.environ
setup(ext_modules=[CUDAExtension("ops", ["a.cu"])])
""",
    )
    assert recorded["failed"] is False
    assert [extension["name"] for extension in recorded["extensions"]] == ["ops"]
    assert {"WITH_CUDA", "BUILD_OPS"} <= set(recorded["read_variables"])


def test_a_failure_is_recorded_with_what_was_declared_before(tmp_path: Path) -> None:
    setup = "from setuptools import Extension\nExtension('ops', ['a.cu'])\n1 / 0\n"
    recorded = record(tmp_path, setup)
    assert recorded["failed"] is True
    assert len(recorded["extensions"]) == 1


@pytest.mark.parametrize(("code", "failed"), [("", False), ("0", False), ("1", True)])
def test_an_exit_is_a_failure_by_its_code(
    tmp_path: Path, code: str, failed: bool
) -> None:
    assert record(tmp_path, f"import sys\nsys.exit({code})")["failed"] is failed


def test_a_compiler_for_the_projects_own_source_is_recorded_and_not_run(
    tmp_path: Path,
) -> None:
    setup = """
import os, subprocess
subprocess.check_call(["nvcc", "-c", "a.cu", "-o", "a.o"])
os.system("sh -c 'hipcc -c b.hip'")
subprocess.run(["cmake", ".."], check=True)
subprocess.run("make -j8", shell=True, check=True)
print(subprocess.check_output(["git", "rev-parse", "HEAD"]))
"""
    recorded = record(tmp_path, setup)
    assert recorded["failed"] is False
    assert [call["arguments"] for call in recorded["compiled"]] == [
        ["nvcc", "-c", "a.cu", "-o", "a.o"],
        ["hipcc", "-c", "b.hip"],
    ]
    assert {call["directory"] for call in recorded["compiled"]} == {str(tmp_path)}


def test_a_probe_of_a_compiler_runs(tmp_path: Path) -> None:
    setup = """
import subprocess
subprocess.run(["cc", "-c", "/nowhere/probe.c", "-o", "/dev/null"], check=True)
"""
    recorded = record(tmp_path, setup)
    assert recorded["failed"] is True
    assert recorded["compiled"] == []


def test_the_projects_own_module_is_imported_and_not_ours(tmp_path: Path) -> None:
    (tmp_path / "crawler").mkdir()
    (tmp_path / "crawler/__init__.py").write_text("SOURCES = ['own.cu']")
    setup = """
from setuptools import Extension
from crawler import SOURCES
import a_library_that_nobody_has
Extension("ops", SOURCES)
"""
    (extension,) = record(tmp_path, setup)["extensions"]
    assert extension["sources"] == ["own.cu"]


def test_a_function_that_compiles_at_run_time_is_called(tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(
        """
from torch.utils import cpp_extension
def get(name, *flags, verbose=False):
    return cpp_extension.load("ops", ["a.cu"])
def fails():
    cpp_extension.load(missing)
def unrelated():
    cpp_extensions = 1 / 0
"""
    )
    (extension,) = record(tmp_path, modules=("ops.py",))["extensions"]
    assert extension["sources"] == ["a.cu"]


def test_a_torch_for_rocm_has_no_cuda(tmp_path: Path) -> None:
    setup = """
import torch
from setuptools import Extension
name = f"cuda {torch.version.cuda}, hip {torch.version.hip}"
Extension(name, ["a.cu"])
"""
    (extension,) = record(tmp_path, setup, hip=True)["extensions"]
    assert extension["name"] == "cuda None, hip 6.2.0"
    versions = {"cuda": "11.8"}
    (extension,) = record(tmp_path, setup, versions=versions)["extensions"]
    assert extension["name"] == "cuda 11.8, hip None"


def test_values_that_json_cannot_hold_become_text(tmp_path: Path) -> None:
    setup = """
import pathlib, torch
from setuptools import Extension
nested = []
for _ in range(20):
    nested = [nested]
Extension("ops", [pathlib.Path("a.cu"), torch.anything], extra=nested, bare=torch)
"""
    (extension,) = record(tmp_path, setup)["extensions"]
    assert extension["sources"] == ["a.cu"]
    assert isinstance(extension["extra"][0][0], list)
