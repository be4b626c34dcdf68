"""CMake projects, and the commands that are learnt of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crawler.builds.systems.cmake import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.model import CompileCommand, Dialect

KERNEL = '#include "k.h"\n__global__ void k(int* p) { *p = VALUE; }\n'
HIP = '#include <hip/hip_runtime.h>\n#include "k.h"\n__global__ void k(int* p) { *p = VALUE; hipFree(p); }\n'
SOURCES = {
    "src/k.cu": KERNEL,
    "src/k.hip": HIP,
    "inc/k.h": "#define VALUE 1\n",
    "src/host.cpp": "int x;\n",
}
BEGIN = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX)\n"


def lay_out(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in {**SOURCES, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def learn(
    tmp_path: Path, files: Mapping[str, str] | str, name: str = "project"
) -> list[CompileCommand]:
    project = {"CMakeLists.txt": files} if isinstance(files, str) else files
    root = lay_out(tmp_path / name, project)
    scratch = tmp_path / f"{name}-scratch"
    scratch.mkdir()
    return list(PLUGIN.find_commands(open_tree(root), scratch).commands)


def flags(
    commands: list[CompileCommand],
    path: str = "src/k.cu",
    dialect: Dialect = Dialect.CUDA,
) -> set[str]:
    """The flags of the only command of a file in a dialect."""
    (command,) = [
        command
        for command in commands
        if command.file == path and command.dialect is dialect
    ]
    return set(command.arguments)
