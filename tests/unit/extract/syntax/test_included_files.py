"""Files that a unit may read, in any branch of an `#if`."""

from __future__ import annotations

from pathlib import Path

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.syntax.included_files import find_device_files, find_included_files
from crawler.model import CompileCommand, Dialect, FlagsOrigin

FILES = {
    "src/a.cu": '#include "b.h"\n#if X\n#include <c.h>\n#endif\n#include <vector>\n#include "../../out.h"\n',
    "src/b.h": '#include "a.cu"\n#include "d.h"\n',
    "include/c.h": "__global__ void k();\n",
    "src/d.h": "inline void f() { g<<<1, 2>>>(); }\n",
    "include/unused.h": "__global__ void other();\n",
}


def command(*arguments: str) -> CompileCommand:
    return CompileCommand(
        directory="src",
        file="src/a.cu",
        arguments=arguments,
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )


def sources(tmp_path: Path) -> SourceFiles:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return SourceFiles(tmp_path)


def test_included_files_come_before_what_includes_them(tmp_path: Path) -> None:
    paths = find_included_files(command("-I", "../include"), sources(tmp_path))
    assert paths == ("src/d.h", "src/b.h", "include/c.h", "src/a.cu")


def test_folders_may_stand_in_the_option(tmp_path: Path) -> None:
    files = sources(tmp_path)
    assert "include/c.h" in find_included_files(command("-isystem../include"), files)
    assert "include/c.h" not in find_included_files(command(), files)


def test_files_that_speak_of_device_code(tmp_path: Path) -> None:
    paths = find_device_files(command("-I../include"), sources(tmp_path))
    assert paths == ("src/d.h", "include/c.h", "src/a.cu")
