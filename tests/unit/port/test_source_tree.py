"""A whole source tree in HIP: what is CUDA changes, all else is the same byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.port import port as porting
from crawler.port.source_tree import PortedFile, port_tree
from crawler.port.unified_diff import iter_diff_lines

FILES = {
    "src/scale.cu": b'#include "scale.cuh"\nvoid go(float *x) { scale<<<1, 64>>>(x); cudaDeviceSynchronize(); }\n',
    "src/scale.cuh": b"__global__ void scale(float *x) { x[threadIdx.x] = __ldcs(x) * 2; }\n",
    "src/main.cpp": b"#include <cuda_runtime.h>\nint main() { return cudaSuccess; }\n",
    "src/plain.cpp": b"int twice(int x) { return 2 * x; } // cudaMalloc\n",
    "src/latin.h": b"// caf\xe9\ncudaError_t last();\n",
    "README.md": b"call cudaMalloc\n",
    "data.bin": bytes(range(256)),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path, content in FILES.items():
        (tmp_path / "in" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / path).write_bytes(content)
    (tmp_path / "in" / "leak.h").symlink_to("/etc/hostname")
    return tmp_path / "in"


def port_project(project: Path, target: Path) -> dict[str, PortedFile]:
    return {file.path: file for file in port_tree(open_tree(project), target)}


def test_sources_change_and_all_else_is_copied(project: Path, tmp_path: Path) -> None:
    files = port_project(project, tmp_path / "out")
    changed = {path for path, file in files.items() if file.before != file.after}
    assert changed == {"src/scale.cu", "src/scale.cuh", "src/main.cpp", "src/latin.h"}
    for path, content in FILES.items():
        written = (tmp_path / "out" / path).read_bytes()
        assert (written != content) == (path in changed), path
    assert b"hipDeviceSynchronize" in (tmp_path / "out/src/scale.cu").read_bytes()
    assert (
        b"// caf\xe9\nhipError_t last();" in (tmp_path / "out/src/latin.h").read_bytes()
    )


def test_a_link_out_of_the_tree_is_not_followed(project: Path, tmp_path: Path) -> None:
    port_project(project, tmp_path / "out")
    assert not (tmp_path / "out/leak.h").exists()


def test_porting_a_port_changes_nothing(project: Path, tmp_path: Path) -> None:
    port_project(project, tmp_path / "once")
    again = port_project(tmp_path / "once", tmp_path / "twice")
    assert [file.path for file in again.values() if file.before != file.after] == []


def test_what_is_too_large_is_copied_and_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(porting, "MAX_TEXT_LENGTH", 80)
    files = port_project(project, tmp_path / "out")
    assert "look at what was given" in files["src/scale.cu"].problem
    assert (tmp_path / "out/src/scale.cu").read_bytes() == FILES["src/scale.cu"]
    assert not files["src/scale.cuh"].problem


def test_the_difference_names_the_file_and_keeps_its_lines() -> None:
    lines = list(iter_diff_lines("a\ncudaFree(x);\n", "a\nhipFree(x);\n", "src/a.cu"))
    assert lines == [
        "--- a/src/a.cu",
        "+++ b/src/a.cu",
        "@@ -1,3 +1,3 @@",
        " a",
        "-cudaFree(x);",
        "+hipFree(x);",
        " ",
    ]
    assert list(iter_diff_lines("same", "same", "x")) == []
