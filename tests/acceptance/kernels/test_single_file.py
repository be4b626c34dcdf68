"""The verbs that need no crawl: one file, one project, one machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt


@pytest.fixture(scope="module")
def database(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a compile database as the project's own build would export it, with absolute paths."""
    flags = f"-I{project}/include -DROLLERS_BLOCK=128 -std=c++17"
    entries = [
        {
            "directory": str(project),
            "command": f"nvcc {flags} -c {project}/src/{name}.cu",
            "file": f"{project}/src/{name}.cu",
        }
        for name in ("reduce", "axpy")
    ]
    folder = tmp_path_factory.mktemp("database")
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


def describe(folder: Path, name: str) -> dict[str, Any]:
    description: dict[str, Any] = json.loads(
        (folder / name / f"{name}.json").read_text()
    )
    return description


def test_a_header_is_read_through_a_unit_that_includes_it(
    kernelset: Kernelset, project: Path, database: Path, tmp_path: Path
) -> None:
    header = project / "include/reduce.cuh"
    result = kernelset.run(
        "extract",
        "--input-file",
        header,
        "--compile-db",
        database,
        "--output-dir",
        tmp_path,
    )
    assert "read through src/reduce.cu" in result.stderr
    assert "1 kernels in include/reduce.cuh" in result.stderr
    folder = tmp_path / "block_sum"
    assert {path.name for path in (folder / "instantiations").glob("*.cu")} == {
        f"block_sum_{label}_128.cu" for label in ("float", "double", "int")
    }
    facts = describe(tmp_path, "block_sum")
    assert facts["flags_origin"] == "borrowed"
    assert facts["instantiations"][0]["arguments"] == ["float", "128"]
    verdict = kernelset.run(
        "validate", folder / "block_sum.cu", "--targets", "sm_80"
    ).stdout
    assert verdict.startswith("sm_80  pass")


def test_without_a_database_it_says_that_the_flags_are_made_up(
    kernelset: Kernelset, project: Path, tmp_path: Path
) -> None:
    result = kernelset.run(
        "extract", "--input-file", project / "src/axpy.cu", "--output-dir", tmp_path
    )
    assert "made up" in result.stderr
    assert describe(tmp_path, "axpy_kernel")["flags_origin"] == "synthesised"
    assert (tmp_path / "axpy_kernel/axpy_kernel.cu").is_file()


def test_its_headers_kernels_come_when_asked_for(
    kernelset: Kernelset, project: Path, database: Path, tmp_path: Path
) -> None:
    words = (
        "extract",
        "--input-file",
        project / "src/reduce.cu",
        "--compile-db",
        database,
        "--output-dir",
        tmp_path,
    )
    result = kernelset.run(*words, code=4)
    assert "0 kernels in src/reduce.cu, 1 in what it includes" in result.stderr
    assert "--with-headers" in result.stderr
    (row,) = kernelset.rows(*words, "--with-headers")
    assert (row["name"], row["path"]) == ("block_sum", "include/reduce.cuh")


def test_two_files_in_one_folder_keep_kernels_of_one_name_apart(
    kernelset: Kernelset, project: Path, tmp_path: Path
) -> None:
    for name in ("scale_rows", "scale_columns", "scale_rows"):
        kernelset.run(
            "extract",
            "--input-file",
            project / f"src/{name}.cu",
            "--output-dir",
            tmp_path,
        )
    texts = [path.read_text() for path in tmp_path.glob("*/scale_kernel*.cu")]
    assert len(texts) == 2
    assert sum("factors[blockIdx.x]" in text for text in texts) == 1


def test_require_ast_names_the_unit_that_lent_the_flags(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/setup.py").write_text("")
    (tmp_path / "p/a.cu").write_text('#include "a.cuh"\n')
    (tmp_path / "p/a.cuh").write_text(
        "__global__ void seen(int* a) { a[0] = 1; }\n#if CUDA_VERSION > 99999\n__global__ void left(int* a) { a[0] = 2; }\n#endif\n"
    )
    words = (
        "extract",
        "--input-file",
        tmp_path / "p/a.cuh",
        "--output-dir",
        tmp_path / "out",
    )
    message = kernelset.run(*words, "--require-ast", code=1).stderr
    assert "[no-ast]" in message
    assert "flags that a.cu lent it" in message
    assert "leave out --require-ast" in message
    assert not (tmp_path / "out").exists()
    rows = {row["name"]: row for row in kernelset.rows(*words, "--depth", "pure")}
    assert rows["left"]["found_by"] == "syntactic"
    assert (
        tmp_path / "out/seen/seen.cu"
    ).read_text() == "__global__ void seen(int* a) { a[0] = 1; }\n"
    assert "[bad-depth]" in kernelset.run(*words, "--depth", "deep", code=2).stderr


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "no-database"),
        ("{", "malformed-database"),
        ("[]", "empty-database"),
        (
            '[{"directory": "/", "file": "/elsewhere/a.cu", "command": "nvcc -c a.cu"}]',
            "database-for-another-tree",
        ),
    ],
)
def test_each_fault_of_a_database_has_its_own_error(
    kernelset: Kernelset, project: Path, tmp_path: Path, content: str | None, code: str
) -> None:
    folder = tmp_path / "db"
    folder.mkdir()
    if content is not None:
        (folder / "compile_commands.json").write_text(content)
    words = (
        "extract",
        "--input-file",
        project / "src/axpy.cu",
        "--output-dir",
        tmp_path / "out",
        "--compile-db",
    )
    assert f"[{code}]" in kernelset.run(*words, folder, code=2).stderr
    assert (
        "[no-database-folder]"
        in kernelset.run(*words, tmp_path / "nowhere", code=2).stderr
    )
    assert not (tmp_path / "out").exists()


def test_a_header_that_no_entry_includes_is_told_the_header_rule(
    kernelset: Kernelset, project: Path, database: Path, tmp_path: Path
) -> None:
    entries = json.loads((database / "compile_commands.json").read_text())
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries[1:]))
    words = (
        "extract",
        "--compile-db",
        tmp_path,
        "--output-dir",
        tmp_path / "out",
        "--input-file",
    )
    header = kernelset.run(*words, project / "include/reduce.cuh", code=2)
    assert "[no-entry]" in header.stderr
    assert "headers" in header.stderr
    assert (
        "[no-entry]"
        in kernelset.run(*words, project / "src/scale_rows.cu", code=2).stderr
    )


def test_port_prints_hip_or_the_difference(
    kernelset: Kernelset, project: Path, tmp_path: Path
) -> None:
    source = project / "src/reduce.cu"
    assert "hipStream_t" in kernelset.run("port", source).stdout
    difference = kernelset.run("port", source, "--diff").stdout
    assert (
        "-void sum(Type type, const void* in, void* out, int n, cudaStream_t stream) {"
        in difference.splitlines()
    )
    (tmp_path / "ptx.cu").write_text(
        '__global__ void k() { asm volatile("mbarrier.init.shared.b64 [0], 1;"); }\n'
    )
    assert "cannot be ported: " in kernelset.run("port", tmp_path / "ptx.cu").stderr


def test_pipes_and_links_in_circles_hold_nothing_up(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    os.mkfifo(tree / "pipe.cu")
    (tree / "circle.cu").symlink_to("circle.cu")
    (tree / "a.cu").write_text("__global__ void k(int* x) { x[0] = 1; }\n")

    # opened, the pipe would wait for a writer for ever
    assert "[no-file]" in kernelset.run("port", tree / "pipe.cu", code=2).stderr
    kernelset.run("port", tree, "--output", tmp_path / "ported")
    assert {path.name for path in (tmp_path / "ported").iterdir()} == {"a.cu"}
    database = json.loads(kernelset.run("compile-db", tree).stdout)
    assert [Path(entry["file"]).name for entry in database] == ["a.cu"]


SCALE = """#pragma once
template <typename T> __global__ void scale(T* x) { x[threadIdx.x] *= 2; }
"""


def test_a_header_has_the_launches_of_all_units_that_include_it(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "setup.py").touch()
    (project / "scale.cuh").write_text(SCALE)
    for name, element in (("a", "float"), ("b", "double")):
        (project / f"{name}.cu").write_text(
            '#include "scale.cuh"\n__global__ void other(int* y) { *y = 1; }\n'
            f"void run_{name}({element}* x, int n, int* y) {{\n"
            f"  scale<<<n, 32>>>(x);\n  other<<<1, 1>>>(y);\n}}\n"
        )

    result = kernelset.run(
        "extract",
        "--input-file",
        project / "scale.cuh",
        "--output-dir",
        tmp_path / "out",
    )
    assert "read through a.cu" in result.stderr
    assert "and for its launches through b.cu" in result.stderr
    assert sorted(path.name for path in (tmp_path / "out").glob("*/*.cu")) == [
        "scale.cu"
    ]
    facts = describe(tmp_path / "out", "scale")
    assert [launch["enclosing"] for launch in facts["launches"]] == ["run_a", "run_b"]
    labels = [entry["label"] for entry in facts["instantiations"]]
    assert sorted(labels) == ["double", "float"]
