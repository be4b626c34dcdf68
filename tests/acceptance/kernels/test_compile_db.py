"""The compile database of a project, for whoever only wants that: what it is, where it is from,
and what goes wrong.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from clang import cindex

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = __ldg(x); }\n"


def plant(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Give a project that no build system tells anything of."""
    return plant(
        tmp_path / "a project é",
        src__k_DOT_cu=f'#include "k.cuh"\n{KERNEL}',
        inc__k_DOT_cuh='#pragma once\n#include "deep.inl"\n',
        inc__deep_DOT_inl="template <typename T> __global__ void deep(T* x) { x[0] = T(1); }\n",
        inc__lonely_DOT_cuh=KERNEL,
        README_DOT_md="text\n",
    )


def test_clang_reads_and_parses_every_entry(
    kernelset: Kernelset, project: Path, tmp_path: Path
) -> None:
    result = kernelset.run("compile-db", project, "--output", tmp_path)
    assert f"7 entries in {tmp_path}/compile_commands.json" in result.stderr
    assert result.stdout == ""
    entries = json.loads((tmp_path / "compile_commands.json").read_text())
    assert {Path(entry["file"]).relative_to(project).as_posix() for entry in entries} >= {
        "include/reduce.cuh", "src/axpy.cu", "src/reduce.cu", "src/wave.hip",
    }  # fmt: skip
    database = cindex.CompilationDatabase.fromDirectory(str(tmp_path))
    for entry in entries:
        (command,) = database.getCompileCommands(entry["file"])
        assert Path(command.directory).is_absolute()
        if entry["file"].endswith("stamp.cu"):  # it includes what is not there
            continue
        argv = ["clang-19", "-fsyntax-only", *list(command.arguments)[1:]]
        checked = subprocess.run(
            argv, cwd=command.directory, capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stderr


def test_it_is_printed_where_no_file_is_named(
    kernelset: Kernelset, small: Path
) -> None:
    result = kernelset.run("compile-db", small)
    entries = {entry["file"]: entry for entry in json.loads(result.stdout)}
    assert set(entries) == {
        str(small / path)
        for path in ("src/k.cu", "inc/k.cuh", "inc/deep.inl", "inc/lonely.cuh")
    }
    entry = entries[str(small / "src/k.cu")]
    assert entry["directory"] == str(small)
    assert entry["arguments"][-1] == entry["file"]
    assert "-Iinc" in entry["arguments"]
    assert "entries are made up from includes (`--explain` says why)" in result.stderr
    (alone,) = json.loads(kernelset.run("compile-db", small, "src/k.cu").stdout)
    assert alone == entry


def test_nothing_is_written_into_the_project(kernelset: Kernelset, small: Path) -> None:
    before = sorted(small.rglob("*"))
    kernelset.run("compile-db", small)
    assert sorted(small.rglob("*")) == before


def test_explain_names_the_chain_of_includes(kernelset: Kernelset, small: Path) -> None:
    explanation = kernelset.run("compile-db", small, "--explain", "inc/deep.inl").stdout
    assert "src/k.cu > inc/k.cuh > inc/deep.inl" in explanation
    (row,) = kernelset.rows("compile-db", small, "--explain", small / "inc/deep.inl")
    assert row["chain"] == ["src/k.cu", "inc/k.cuh", "inc/deep.inl"]
    assert (row["borrowed_from"], row["candidates"][0]["outcome"]) == (
        "src/k.cu",
        "used",
    )


def test_explain_says_who_won_and_why(kernelset: Kernelset, project: Path) -> None:
    (row,) = kernelset.rows("compile-db", project, "--explain", "include/reduce.cuh")
    assert (row["borrowed_from"], row["strategy"], row["origin"]) == (
        "src/reduce.cu",
        "cmake",
        "borrowed",
    )
    assert "-DROLLERS_BLOCK=256" in row["arguments"]
    outcomes = {
        candidate["strategy"]: candidate["outcome"] for candidate in row["candidates"]
    }
    assert outcomes == {"cmake": "used", "synthesised": "not used: less trusted"}


def test_explain_alone_shows_what_every_strategy_said(
    kernelset: Kernelset, project: Path
) -> None:
    explanation = kernelset.run("compile-db", project, "--explain").stdout
    assert explanation.splitlines()[1].split() == ["cmake", "5"]
    assert "    root: /src" in explanation
    rows = {
        row["strategy"]: row
        for row in kernelset.rows("compile-db", project, "--explain")
    }
    assert (rows["cmake"]["entries"], rows["cmake"]["code"]) == (5, "")
    assert "Generating done" in rows["cmake"]["log"]


def test_explain_says_which_versions_are_asked_for(
    kernelset: Kernelset, small: Path
) -> None:
    plant(
        small,
        requirements_DOT_txt="numpy<1.20\npython\n",
        Dockerfile="FROM nvidia/cuda:11.8.0-devel",
    )
    explanation = kernelset.run("compile-db", small, "--explain").stdout
    assert "<1.20 (requirements.txt: line 1)" in explanation
    rows = {
        row["strategy"]: row for row in kernelset.rows("compile-db", small, "--explain")
    }
    requirements = {
        (requirement["name"], requirement["asked"])
        for requirement in rows["metadata"]["environment"]["requirements"]
    }
    assert requirements == {("numpy", "<1.20"), ("cuda", "==11.8.0")}


def test_other_configurations_stand_behind_the_plainest_of_a_device_source(
    kernelset: Kernelset, small: Path
) -> None:
    entries = [
        {"directory": ".", "file": "src/k.cu", "command": f"nvcc {flags} src/k.cu"}
        for flags in ("-DA", "-DA -DB")
    ]
    plant(small, compile_commands_DOT_json=json.dumps(entries))
    result = kernelset.run("compile-db", small, "src/k.cu")
    assert [
        [word for word in entry["arguments"] if word in ("-DA", "-DB")]
        for entry in json.loads(result.stdout)
    ] == [
        ["-DA"],
        ["-DA", "-DB"],
    ]
    assert "1 entries are further configurations" in result.stderr


DATABASES = {
    "no-database": (None, "leave out --strategy"),
    "empty-database": ("[]", "Build from clean"),
    "malformed-database": ("{", "export it again"),
    "database-for-another-tree": (
        '[{"file": "/x/y.cu", "command": "nvcc y.cu"}]',
        "export one here",
    ),
}


@pytest.mark.parametrize("code", DATABASES)
def test_a_database_that_cannot_be_used_is_an_error_where_it_was_asked_for(
    kernelset: Kernelset, small: Path, tmp_path: Path, code: str
) -> None:
    content, action = DATABASES[code]
    if content is not None:
        plant(small, compile_commands_DOT_json=content)
    output = tmp_path / "out.json"
    result = kernelset.run(
        "compile-db", small, "--strategy", "existing", "--output", output, code=2
    )
    assert f"[{code}]" in result.stderr
    assert action in result.stderr
    assert not output.exists()
    assert kernelset.run("compile-db", small).stdout
    if content is not None:
        rows = kernelset.rows("compile-db", small, "--explain")
        assert code in [row["code"] for row in rows if row["strategy"] == "existing"]


def test_a_header_without_an_entry_is_told_the_header_rule(
    kernelset: Kernelset, small: Path
) -> None:
    plant(
        small,
        compile_commands_DOT_json='[{"directory": ".", "file": "src/k.cu", "command": "nvcc src/k.cu"}]',
    )
    words = ("compile-db", small, "--strategy", "existing")
    assert json.loads(kernelset.run(*words, "inc/deep.inl").stdout)[0]["file"] == str(
        small / "inc/deep.inl"
    )
    message = kernelset.run(*words, "inc/lonely.cuh", code=2).stderr
    assert "[no-entry]" in message
    assert "nobody compiles headers" in message
    assert "leave out --strategy" in message


@pytest.mark.parametrize(
    ("words", "exit_code", "code", "action"),
    [
        (("gone",), 2, "no-folder", "name the folder of a project"),
        (("small/README.md",), 2, "no-folder", "name the folder of a project"),
        (("small", "--strategy", "abacus"), 2, "no-strategy", "name one of"),
        (
            ("small", "--strategy", "cmake"),
            4,
            "no-build-system",
            "leave out --strategy",
        ),
        (("small", "--explain", "gone.cu"), 2, "no-file", "check its name"),
        (("small", "README.md"), 2, "no-file", "check its name"),
        (("text",), 4, "nothing-to-build", "name the folder of a project"),
        (("host",), 4, "no-kernels", "name the folder of a project that has some"),
    ],
)
def test_each_failure_has_its_own_code_and_ends_with_what_to_do(
    kernelset: Kernelset,
    small: Path,
    tmp_path: Path,
    words: tuple[str, ...],
    exit_code: int,
    code: str,
    action: str,
) -> None:
    small.rename(tmp_path / "small")
    plant(tmp_path, text__README="text", host__main_DOT_cpp="int main() {}\n")
    result = kernelset.run(
        "compile-db", tmp_path / words[0], *words[1:], code=exit_code
    )
    assert f"[{code}]" in result.stderr
    assert action in result.stderr.rsplit("[", 1)[0].splitlines()[-1]
    assert result.stdout == ""


def test_a_build_that_told_nothing_is_reported_with_its_log(
    kernelset: Kernelset, small: Path
) -> None:
    plant(
        small,
        CMakeLists_DOT_txt="cmake_minimum_required(VERSION 3.18)\nproject(p)\nmessage(FATAL_ERROR no-such-luck)\n",
    )
    failed = kernelset.run("compile-db", small, "--strategy", "cmake", code=1)
    assert "[configure-failed]" in failed.stderr
    assert "no-such-luck" in failed.stderr
    result = kernelset.run("compile-db", small, "--explain")
    assert "configure-failed" in result.stdout
    assert "no-such-luck" in result.stdout
