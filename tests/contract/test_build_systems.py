"""What every build system must hold to; a new one is found and tested by itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from crawler import process
from crawler.builds.interface import BuildSystem, is_by_request
from crawler.checkout.source_tree import open_tree
from crawler.plugins import load_plugins

SYSTEMS: tuple[BuildSystem, ...] = load_plugins("crawler.builds.systems")
KERNEL = '#include "k.cuh"\n__global__ void k(float* p) { p[0] = VALUE; }\nvoid f(float* p) { k<<<1, 1>>>(p); }\n'
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
extension = CUDAExtension("p", ["src/k.cu"], include_dirs=["inc"])
setup(name="p", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
"""
CMAKE = """
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CXX CUDA)
add_library(p src/k.cu)
target_include_directories(p PRIVATE inc)
"""
FILES = {
    "src/k.cu": KERNEL,
    "inc/k.cuh": "#define VALUE 1\n",
    "setup.py": SETUP,
    "CMakeLists.txt": CMAKE,
    "configure": "#!/bin/sh\necho 'k.o:; nvcc -Iinc -c src/k.cu' > Makefile\n",
    "Makefile": "k.o: src/k.cu\n\tnvcc -Iinc -c src/k.cu -o k.o\n",
    "BUILD.bazel": "cc_library(name = 'p', srcs = ['src/k.cu'], includes = ['inc'])\n",
    "build.ninja": "rule nvcc\n command = nvcc -Iinc -c $in -o $out\nbuild k.o: nvcc src/k.cu\n",
    "meson.build": "project('p', 'cpp', 'cuda')\nstatic_library('p', 'src/k.cu', include_directories: 'inc')\n",
    "compile_commands.json": json.dumps(
        [{"directory": ".", "file": "src/k.cu", "command": "nvcc -Iinc -c src/k.cu"}]
    ),
}

pytestmark = pytest.mark.apt


@pytest.fixture
def project(system: BuildSystem, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in {**FILES, **getattr(system, "example", {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def read_state(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


def test_there_is_a_floor_that_runs_nothing() -> None:
    assert any(not system.executes for system in SYSTEMS)
    assert len({system.name for system in SYSTEMS}) == len(SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
class TestBuildSystem:
    @pytest.fixture(autouse=True)
    def _can_build(self, system: BuildSystem) -> None:
        if is_by_request(system) and not (
            shutil.which("bear") and shutil.which("nvcc")
        ):
            pytest.skip(f"{system.name} builds for real: with bear and nvcc")

    def test_an_empty_tree_is_not_its_own(
        self, system: BuildSystem, tmp_path: Path
    ) -> None:
        assert not system.recognises(open_tree(tmp_path))

    def test_it_learns_how_a_kernel_is_compiled(
        self, system: BuildSystem, project: Path, scratch: Path
    ) -> None:
        tree = open_tree(project)
        assert system.recognises(tree), "its `example` has the files that it needs"
        commands = {
            command.file: command
            for command in system.find_commands(tree, scratch).commands
        }
        assert "-Iinc" in commands["src/k.cu"].arguments
        assert commands["src/k.cu"].dialect == "cuda"

    def test_its_commands_are_flags_of_files_that_exist(
        self, system: BuildSystem, project: Path, scratch: Path
    ) -> None:
        tree = open_tree(project)
        for command in system.find_commands(tree, scratch).commands:
            assert command.file in tree.files
            assert not command.directory.startswith(("/", ".."))
            assert not {"-c", "-o", "nvcc", command.file} & set(command.arguments)
            assert not any(
                str(project) in word or str(scratch) in word
                for word in command.arguments
            )

    def test_it_never_writes_into_the_checkout(
        self, system: BuildSystem, project: Path, scratch: Path
    ) -> None:
        before = read_state(project)
        system.find_commands(open_tree(project), scratch)
        assert read_state(project) == before


@pytest.mark.parametrize(
    "system",
    [system for system in SYSTEMS if not system.executes],
    ids=lambda system: system.name,
)
def test_what_says_that_it_runs_nothing_runs_nothing(
    system: BuildSystem, project: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "run", None)
    monkeypatch.setattr(process, "start", None)
    assert system.find_commands(open_tree(project), scratch).commands
