"""A project's own CUDA and HIP versions of a file: found by their paths, compared by their
tokens.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.porting.pair import find_pairs, main

CUDA = (
    "#include <cuda_runtime.h>\n__global__ void k(float *x) { x[0] = 1; }\n"
    "void go(float *x) { k<<<1, 64>>>(x); cudaDeviceSynchronize(); }\n"
)
HIP = (
    "#include <hip/hip_runtime.h>\n// by hand\n__global__ void k(float *x) { x[0] = 1; }\n"
    "void go(float *x) { hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, 0, x); hipDeviceSynchronize(); }\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "scan-cuda/main.cu": CUDA,
        "scan-hip/main.cu": HIP,
        "sort-cuda/main.cu": CUDA,
        "notes-hip/readme.h": "x\n",
    }
    files["csrc/kernels.cu"], files["csrc/kernels.hip"] = (
        CUDA,
        HIP.replace("x[0] = 1", "x[0] = 2"),
    )
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_files_are_a_pair_where_only_the_dialect_tells_their_paths_apart(
    project: Path,
) -> None:
    pairs = {(str(ours), str(theirs)) for ours, theirs in find_pairs(project, project)}
    assert pairs == {
        ("csrc/kernels.cu", "csrc/kernels.hip"),
        ("scan-cuda/main.cu", "scan-hip/main.cu"),
    }
    assert find_pairs(project / "sort-cuda", project / "scan-hip") == [
        (Path("main.cu"), Path("main.cu"))
    ]


@pytest.mark.apt
def test_ports_are_compared_and_compiled(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(project), str(project)])
    output = capsys.readouterr().out
    assert "| 2 | 1 | " in output
    assert "Of the 2 of theirs that compile, 2 of ours do." in output
