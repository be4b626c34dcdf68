"""The walls of the project: who owns which import name, and who may start a process."""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from importlib import metadata
from pathlib import Path

import pytest

from benchmarks.style import measure_sources

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("crawler", "storage", "workers")
SOURCES = sorted(
    path for package in PACKAGES for path in (ROOT / package).rglob("*.py")
)
WITHIN_THE_SANDBOX = ROOT / "crawler/validate/suites/own_builds/inside"
"""Programs that a sandbox runs, and that run what a project's build and tests ask for in there."""


def test_import_names_belong_to_this_distribution() -> None:
    owners = metadata.packages_distributions()
    for package in PACKAGES:
        # an editable install lists no files, so nobody owns the names there; any other owner is
        # a clash
        assert set(owners.get(package, [])) <= {"kernelset"}
        assert Path(str(importlib.import_module(package).__file__)).is_relative_to(ROOT)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_process_starts_processes(path: Path) -> None:
    # the second one is a program of its own, which `process` starts and a stranger's replaces
    holder = ROOT / "crawler/sandbox/landlock/holder.py"
    starts_programs = (ROOT / "crawler/process.py", holder)
    if path in starts_programs or path.parent == WITHIN_THE_SANDBOX:
        return
    calls = {
        node.func
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
    }
    started = [
        ast.unparse(call)
        for call in calls
        if isinstance(call, ast.Attribute)
        and isinstance(call.value, ast.Name)
        and (
            (
                call.value.id == "subprocess"
                and call.attr in {"run", "Popen", "call", "check_call", "check_output"}
            )
            or (
                call.value.id == "os"
                and call.attr.startswith(
                    ("system", "popen", "exec", "spawn", "posix_spawn")
                )
            )
            or call.value.id == "multiprocessing"
        )
    ]
    assert started == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_address_and_no_machine_path_in_the_code(path: Path) -> None:
    text = path.read_text()
    assert "pypi.org" not in text
    assert str(ROOT) + "/" not in text


def test_no_folder_holds_more_modules_than_a_reader_takes_in_at_a_glance() -> None:
    modules = (path for path in SOURCES if path.name != "__init__.py")
    counts = Counter(path.parent.relative_to(ROOT) for path in modules)
    # migrations are read one after the other, and none is ever moved
    del counts[Path("storage/migrations/versions")]
    assert {folder: count for folder, count in counts.items() if count > 15} == {}


def test_no_module_and_no_function_is_long() -> None:
    measure = measure_sources(SOURCES)
    assert measure.long_files == []
    assert measure.long_functions == []


def test_the_lock_has_hashes_and_names_no_index() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert not [
        line
        for line in lines
        if "://" in line or line.startswith(("-i", "--index", "--extra", "--find"))
    ]
    pinned = [
        index
        for index, line in enumerate(lines)
        if line and not line.startswith((" ", "#"))
    ]
    assert pinned
    assert all("--hash=sha256:" in lines[index + 1] for index in pinned)


def test_the_version_stands_in_the_changelog() -> None:
    assert (
        f"## [{metadata.version('kernelset')}]" in (ROOT / "CHANGELOG.md").read_text()
    )
