"""What becomes of the programs that a `setup.py` starts, and of what it reads of its environment.

Each project runs in an interpreter of its own: watching replaces parts of Python's library.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PREPARED = """
import json, os, subprocess, sys
from crawler.builds.setup_py.stand_ins import process_watch
process_watch.watch_project(sys.argv[1])
os.chdir(sys.argv[1])
answer = None
"""
REPORT = """
sys.stdout.flush()
print()
print(json.dumps([answer, process_watch.STARTED_COMPILERS, list(process_watch.READ_VARIABLES)]))
"""


def watch(
    root: Path, text: str, **environment: str
) -> tuple[Any, list[dict[str, Any]], list[str]]:
    """Run statements of a project, and return its `answer`, its compilers and its variables."""
    ended = subprocess.run(
        [sys.executable, "-c", PREPARED + text + REPORT, str(root)],
        check=True,
        capture_output=True,
        text=True,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": ":".join(filter(None, sys.path)),
            **environment,
        },
    )
    answer, compilers, variables = json.loads(ended.stdout.splitlines()[-1])
    return answer, compilers, variables


@pytest.mark.parametrize(
    "start",
    [
        "subprocess.check_call(['nvcc', '-c', 'a.cu', '-o', 'a.o'])",
        "subprocess.run('nvcc -c a.cu -o a.o', shell=True, check=True)",
        "subprocess.check_call(['bash', '-c', 'nvcc -c a.cu -o a.o'])",
        "subprocess.check_call([b'nvcc', '-c', 'a.cu', '-o', 'a.o'])",
        "os.system('nvcc -c a.cu -o a.o')",
    ],
)
def test_a_compiler_that_a_project_starts_is_recorded_and_not_run(
    tmp_path: Path, start: str
) -> None:
    _, compilers, _ = watch(tmp_path, start)
    assert compilers == [
        {
            "directory": str(tmp_path),
            "arguments": ["nvcc", "-c", "a.cu", "-o", "a.o"],
        }
    ]


def test_the_folder_that_a_compiler_is_started_in_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    text = "subprocess.check_call(['hipcc', '-c', 'a.hip'], cwd='src')"
    _, compilers, _ = watch(tmp_path, text)
    assert [compiler["directory"] for compiler in compilers] == [str(tmp_path / "src")]


@pytest.mark.parametrize(
    "name", ["g++-13", "clang++", "cc", "gcc", "/usr/bin/clang-19"]
)
def test_compilers_of_the_host_are_recorded_whatever_their_version(
    tmp_path: Path, name: str
) -> None:
    _, compilers, _ = watch(tmp_path, f"subprocess.call([{name!r}, '-c', 'a.cpp'])")
    assert [compiler["arguments"][0] for compiler in compilers] == [name]


@pytest.mark.parametrize(
    "words",
    [
        ["cc", "--version"],
        ["cc", "-c", "/elsewhere/probe.c"],
        ["cc", "-c", "a.txt"],
        ["ccache", "-c", "a.cpp"],
    ],
)
def test_a_question_to_a_compiler_is_no_compilation(
    tmp_path: Path, words: list[str]
) -> None:
    text = f"""
try:
    subprocess.call({words!r}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
except FileNotFoundError:
    pass
"""
    assert watch(tmp_path, text)[1] == []


def test_git_knows_a_commit_though_there_is_no_repository(tmp_path: Path) -> None:
    text = "answer = subprocess.check_output(['git', 'rev-parse', 'HEAD'], text=True)"
    assert watch(tmp_path, text)[0] == "0" * 40 + "\n"
    text = "answer = subprocess.call(['git', 'submodule', 'update', '--init'])"
    assert watch(tmp_path, text)[0] == 0


@pytest.mark.parametrize(
    "command", ["cmake -S . -B build", "ninja -C build", "make -j8 all"]
)
def test_builds_that_a_project_starts_succeed_without_being_run(
    tmp_path: Path, command: str
) -> None:
    answer, compilers, _ = watch(tmp_path, f"answer = os.system({command!r})")
    assert (answer, compilers) == (0, [])


def test_a_build_tool_answers_what_version_it_is(tmp_path: Path) -> None:
    tool = tmp_path / "cmake"
    tool.write_text("#!/bin/sh\necho cmake version 3.25\n")
    tool.chmod(0o755)
    text = "answer = subprocess.check_output(['cmake', '--version'], text=True)"
    answer, _, _ = watch(tmp_path, text, PATH=f"{tmp_path}:/usr/bin:/bin")
    assert answer == "cmake version 3.25\n"


def test_any_other_program_runs(tmp_path: Path) -> None:
    text = "answer = subprocess.check_output(['echo', 'a b'], text=True)"
    assert watch(tmp_path, text)[0] == "a b\n"


def test_a_line_that_no_shell_could_read_is_still_split(tmp_path: Path) -> None:
    text = "answer = os.system('nvcc -c a.cu -DX=\"')"
    _, compilers, _ = watch(tmp_path, text)
    assert compilers[0]["arguments"] == ["nvcc", "-c", "a.cu", '-DX="']


def test_variables_that_are_read_are_known_by_their_names(tmp_path: Path) -> None:
    text = """
os.environ.get("WITH_CUDA", "0")
if "TORCH_ARCHS" in os.environ: pass
os.getenv("WITH_CUDA")
answer = os.environ["MAX_JOBS"]
"""
    answer, _, variables = watch(tmp_path, text, MAX_JOBS="4")
    assert answer == "4"
    ours = [
        name for name in variables if name in ("WITH_CUDA", "TORCH_ARCHS", "MAX_JOBS")
    ]
    assert ours == ["WITH_CUDA", "TORCH_ARCHS", "MAX_JOBS"]


def test_a_variable_takes_what_is_no_text(tmp_path: Path) -> None:
    text = "os.environ['MAX_JOBS'] = 8\nanswer = os.environ['MAX_JOBS']"
    assert watch(tmp_path, text)[0] == "8"
