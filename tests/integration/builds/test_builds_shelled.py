from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from crawler.builds.setup_py import recorded_build
from crawler.builds.systems.setuptools import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from crawler.model import CompileCommand

pytestmark = [
    pytest.mark.apt,
    pytest.mark.skipif(
        find_spec("setuptools") is None, reason="this Python has no setuptools"
    ),
]

KERNEL = "__global__ void k(int* p) { *p = 1; }\n"
CMAKE = (
    "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX CUDA)\nadd_library(p SHARED src/k.cu src/bind.cpp)\n"
    "target_include_directories(p PRIVATE inc)\ntarget_compile_definitions(p PRIVATE HERE=1)\n"
)
WITH_CMAKE = """
import os, subprocess, sys
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

class CMakeExtension(Extension):
    def __init__(self, name, sourcedir=""):
        super().__init__(name, sources=[])
        self.sourcedir = os.path.abspath(sourcedir)

class CMakeBuild(build_ext):
    def build_extension(self, ext):
        out = os.path.abspath(os.path.dirname(self.get_ext_fullpath(ext.name)))
        os.makedirs(self.build_temp, exist_ok=True)
        args = ["-DCMAKE_LIBRARY_OUTPUT_DIRECTORY=" + out, "-DPYTHON_EXECUTABLE=" + sys.executable]
        subprocess.check_call(["cmake", ext.sourcedir, *args], cwd=self.build_temp)
        subprocess.check_call(["cmake", "--build", "."], cwd=self.build_temp)
        assert os.path.exists(os.path.join(out, "libp.so"))
        print("BUILT ALL OF IT")

setup(name="p", version="1", ext_modules=[CMakeExtension("p._ext")], cmdclass={"build_ext": CMakeBuild})
"""
IN_THE_WILD = {
    "nvcc": (
        "import os, subprocess, torch\nfrom distutils.core import setup\nfrom os.path import join\n"
        "nvcc = join(os.environ.get('CUDA_HOME', '/usr/local/cuda'), 'bin', 'nvcc')\n"
        "subprocess.check_call([nvcc, '-DHERE=1', '-Iinc', '-c', 'src/k.cu', '-o', 'k.o'])\n"
        "print('BUILT ALL OF IT')\nsetup(name='p')\n"
    ),
    "make": (
        "import subprocess\nfrom setuptools import setup\nfrom setuptools.command.build_ext import build_ext\n"
        "class Build(build_ext):\n    def run(self):\n        subprocess.run('make gpu', shell=True, check=True)\n"
        "        print('BUILT ALL OF IT')\nsetup(name='p', cmdclass={'build_ext': Build})\n"
    ),
    "a command of torch's": (
        "import subprocess, some_library\nfrom setuptools import setup\n"
        "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
        "class Build(BuildExtension):\n    def run(self):\n"
        "        self.spawn(['nvcc', '-DHERE=1', '-Iinc', '-c', 'src/k.cu', '-o', 'k.o'])\n"
        "        print('BUILT ALL OF IT')\n"
        "setup(name='p', ext_modules=[], cmdclass={'build_ext': Build.with_options(x=1)})  # subprocess\n"
    ),
    "CMake": WITH_CMAKE,
}


def project(root: Path, setup: str) -> Path:
    files = {
        "setup.py": setup,
        "src/k.cu": KERNEL,
        "src/bind.cpp": "this is no C++",
        "inc/k.h": "",
        "CMakeLists.txt": CMAKE,
        "Makefile": "gpu: k.o\n%.o: src/%.cu\n\tnvcc -DHERE=1 -Iinc -c $< -o $@\n",
        "k.o": "built before",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize("name", IN_THE_WILD)
def test_what_a_setup_has_others_build_is_recorded(
    name: str, tmp_path: Path, scratch: Path
) -> None:
    root = project(tmp_path / "p", IN_THE_WILD[name])
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    answer = PLUGIN.find_commands(open_tree(root), scratch)
    commands: dict[str, CompileCommand] = {
        command.file: command for command in answer.commands
    }
    assert {"-DHERE=1", "-Iinc"} <= set(commands["src/k.cu"].arguments), answer.log
    assert commands["src/k.cu"].dialect == "cuda"
    assert "BUILT ALL OF IT" in answer.log
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_without_setuptools_it_is_said_and_nothing_runs(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_build, "find_spec", lambda _: None)
    with pytest.raises(ConfigureFailed) as raised:
        PLUGIN.find_commands(
            open_tree(project(tmp_path / "p", IN_THE_WILD["make"])), scratch
        )
    assert "has no setuptools" in raised.value.output


def test_what_was_called_before_a_build_fails_counts(
    tmp_path: Path, scratch: Path
) -> None:
    setup = IN_THE_WILD["make"] + "subprocess.run(['false'], check=True)\n"
    answer = PLUGIN.find_commands(open_tree(project(tmp_path / "p", setup)), scratch)
    assert "src/k.cu" in {command.file for command in answer.commands}


def test_a_response_file_that_is_a_way_out_is_not_read(
    tmp_path: Path, scratch: Path
) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "host/secret").write_text("-DSECRET=1")
    setup = f"""
import json, os, subprocess  # nvcc
os.symlink({str(tmp_path / "host")!r}, "way")
os.symlink({str(tmp_path / "host/secret")!r}, "out")
words = ["nvcc", "@way/secret", "@out", "--options-file", "{tmp_path}/host/secret", "-DHERE=1", "-c", "src/k.cu"]
os.mkdir("build")
json.dump([dict(directory=".", file="src/k.cu", arguments=words)], open("build/compile_commands.json", "w"))
"""
    answer = PLUGIN.find_commands(open_tree(project(tmp_path / "p", setup)), scratch)
    assert "-DHERE=1" in answer.commands[0].arguments
    assert "SECRET" not in str(answer)


def test_a_setup_that_only_asks_git_for_its_version_builds_nothing_by_calling(
    tmp_path: Path,
) -> None:
    setup = "import subprocess\nsubprocess.run(['git', 'describe'])\nfrom setuptools import setup\nsetup(name='p')\n"
    assert (
        recorded_build.find_shelling_setups(open_tree(project(tmp_path, setup))) == []
    )
