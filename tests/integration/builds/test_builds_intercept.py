"""A real build under Bear, in the sandbox: what it calls is recorded, though nothing of it
reaches the checkout.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.builds.database.compile_database import (
    build_compile_database,
    survey_checkout,
)
from crawler.builds.systems.intercept import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import CompileDatabase, FlagsOrigin

pytestmark = pytest.mark.apt("bwrap", "bear", "make", "g++")
KERNEL = "__global__ void k(float* x) { x[0] = VALUE; }\n"
MAKEFILE = """
all: tool k.o
tool: tool.cpp
\tg++ -o tool tool.cpp
k.o: src/k.cpp tool
\t./tool > src/generated.h && cd src && g++ -I../inc -include generated.h -DVALUE=4 -c k.cpp -o ../k.o && false
"""
FILES = {
    "src/k.cpp": f'#include "k.cuh"\n#ifdef __CUDACC__\n{KERNEL}#endif\n',
    "inc/k.cuh": KERNEL.replace("k(", "h(")
    .replace("VALUE", "1")
    .replace("__global__", "inline"),
    "tool.cpp": '#include <cstdio>\nint main() { std::puts("// made by a tool that was built"); }\n',
    "Makefile": MAKEFILE,
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def index_by_file(
    database: CompileDatabase,
) -> dict[str, tuple[FlagsOrigin, tuple[str, ...]]]:
    return {
        command.file: (command.origin, command.arguments)
        for command in database.commands
    }


def test_a_build_that_fails_in_the_end_still_told_what_it_compiled(
    project: Path,
) -> None:
    database = build_compile_database(project, strategies=("intercept",))
    assert index_by_file(database)["src/k.cpp"] == (
        FlagsOrigin.RECORDED,
        ("-Iinc", "-DVALUE=4"),
    )
    assert index_by_file(database)["tool.cpp"] == (FlagsOrigin.RECORDED, ())
    assert not (project / "src/generated.h").exists()
    (report,) = [
        report for report in database.strategies if report.strategy == "intercept"
    ]
    assert "-include generated.h: a file that is not there" in report.log


def test_it_is_left_alone_unless_it_is_asked_for(project: Path) -> None:
    assert "intercept" not in [
        answer.report.strategy for answer in survey_checkout(project).outcomes
    ]


def test_a_build_that_compiles_nothing_has_failed_and_shows_its_log(
    project: Path, scratch: Path
) -> None:
    (project / "Makefile").write_text("all:\n\t@echo nothing to do; false\n")
    with pytest.raises(ConfigureFailed, match="see the log") as raised:
        PLUGIN.find_commands(open_tree(project), scratch)
    assert "nothing to do" in raised.value.output


def test_what_its_parts_need_to_talk_reaches_nobody_else() -> None:
    listening = "import socket as s; a = s.create_server(('127.0.0.1', 0)); s.create_connection(a.getsockname())"
    leaving = "import socket as s; s.create_connection(('192.0.2.1', 80), 5)"
    argv = (sys.executable, "-c")
    mounts = sandbox.list_python_mounts()
    assert sandbox.run((*argv, listening), mounts=mounts, loopback=True).exit_code == 0
    assert sandbox.run((*argv, listening), mounts=mounts).exit_code != 0
    ended = sandbox.run((*argv, leaving), mounts=mounts, loopback=True)
    assert "Network is unreachable" in ended.text


def test_without_bear_it_says_how_to_get_it(
    project: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(MissingTool, match=r"apt-get install bear"):
        PLUGIN.find_commands(open_tree(project), scratch)
