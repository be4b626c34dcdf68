"""Programs of projects, built and run with their kernels on the CPU model."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from tests.integration.own_program import KERNEL, MAIN, list_faults, observe

pytestmark = pytest.mark.apt


def test_a_program_runs_and_its_launches_are_seen(tmp_path: Path) -> None:
    report = observe(tmp_path, KERNEL + MAIN)

    (kernel,) = report.kernels
    assert report.output == "1 299\n"
    assert (kernel.place.path, kernel.place.line) == ("main.cu", 3)
    assert kernel.configurations == (((5, 1, 1), (64, 1, 1)),)
    assert kernel.fault is None


FAULTS = {
    "out-of-bounds": ("i < n - 1", "i < n"),
    "uninitialised-read": (
        "cudaMemcpy(from, values, n * sizeof(float), cudaMemcpyHostToDevice);",
        "",
    ),
    "race": ("to[i] = from[i + 1];", "to[i / 2] = from[i + 1];"),
    "divide-by-zero": ("to[i] = from[i + 1];", "to[i] = n / (i - i);"),
    "array-bounds": (
        "to[i] = from[i + 1];",
        "{ __shared__ float s[64]; s[threadIdx.x + 1] = 1; to[i] = s[threadIdx.x + 1]; }",
    ),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_of_a_launch_is_named(tmp_path: Path, code: str) -> None:
    report = observe(tmp_path, (KERNEL + MAIN).replace(*FAULTS[code]))

    assert list_faults(report) == [code]


def test_an_allocation_that_is_too_small_shows_in_the_kernel(tmp_path: Path) -> None:
    text = (KERNEL + MAIN).replace("&to, n * sizeof(float)", "&to, n")

    assert list_faults(observe(tmp_path, text)) == ["out-of-bounds"]


def test_sources_beside_it_are_linked_where_main_needs_them(tmp_path: Path) -> None:
    declaration = "void run(float*, float*, int);\n"
    launcher = (
        KERNEL + "void run(float* from, float* to, int n)"
        " { shift<<<(n + 63) / 64, 64>>>(from, to, n); }\n"
    )
    main = "#include <cuda_runtime.h>\n#include <stdio.h>\n" + declaration + MAIN
    main = main.replace("shift<<<(n + 63) / 64, 64>>>", "run")

    report = observe(tmp_path, main, {"shift.cu": launcher})

    assert report.output == "1 299\n"
    assert [kernel.place.path for kernel in report.kernels] == ["shift.cu"]


def split_program() -> tuple[str, str]:
    """Return a `main`, and the source beside it that launches its kernel."""
    declaration = "void run(float*, float*, int);\n"
    launcher = (
        KERNEL + "void run(float* from, float* to, int n)"
        " { shift<<<(n + 63) / 64, 64>>>(from, to, n); }\n"
    )
    main = "#include <cuda_runtime.h>\n#include <stdio.h>\n" + declaration + MAIN
    return main.replace("shift<<<(n + 63) / 64, 64>>>", "run"), launcher


def test_a_source_beside_it_that_does_not_compile_is_left_out(tmp_path: Path) -> None:
    main, launcher = split_program()
    neighbours = {"broken.cu": "this is no C++\n", "shift.cu": launcher}

    assert observe(tmp_path, main, neighbours).output == "1 299\n"


def test_one_that_main_needs_and_that_does_not_compile_is_why_there_is_no_program(
    tmp_path: Path,
) -> None:
    main, launcher = split_program()

    report = observe(tmp_path, main, {"shift.cu": launcher + "this is no C++\n"})

    assert report.code == "host-compile-error"
    assert report.message == "expected unqualified-id"


def test_a_hip_program_runs(tmp_path: Path) -> None:
    text = (
        (KERNEL + MAIN)
        .replace("cuda", "hip")
        .replace("hip_runtime.h", "hip/hip_runtime.h")
    )
    text = text.replace(
        "shift<<<(n + 63) / 64, 64>>>(from, to, n)",
        "hipLaunchKernelGGL(shift, dim3((n + 63) / 64), dim3(64), 0, 0, from, to, n)",
    )

    assert observe(tmp_path, text, dialect=Dialect.HIP).output == "1 299\n"


def test_a_kernel_launched_by_its_address_runs(tmp_path: Path) -> None:
    text = (KERNEL + MAIN).replace(
        "shift<<<(n + 63) / 64, 64>>>(from, to, n);",
        "int size = n; void* given[] = {&from, &to, &size};"
        "cudaLaunchKernel((const void*)shift, dim3(5), dim3(64), given, 0, 0);",
    )

    assert observe(tmp_path, text).output == "1 299\n"


@pytest.mark.parametrize("standard", ["gnu++14", "c++98", "c++20"])
def test_a_program_is_built_whatever_standard_its_project_asks_for(
    tmp_path: Path, standard: str
) -> None:
    report = observe(tmp_path, KERNEL + MAIN, arguments=(f"-std={standard}",))

    assert report.output == "1 299\n"


def test_a_variable_of_the_device_is_set_by_its_address(tmp_path: Path) -> None:
    text = "__device__ float scratch[4];\n" + MAIN.replace(
        "  cudaMemset(to",
        "  void* place; cudaGetSymbolAddress(&place, scratch);\n"
        "  if (cudaMemset(place, 0, 16) != cudaSuccess) return 1;\n  cudaMemset(to",
    )

    assert observe(tmp_path, KERNEL + text).exit_code == 0


def test_what_the_model_lacks_is_no_fault_of_a_kernel(tmp_path: Path) -> None:
    text = (KERNEL + MAIN).replace(
        "  cudaMemset(to",
        "  cudaGraph_t graph; cudaGraphCreate(&graph, 0);\n  cudaMemset(to",
    )

    report = observe(tmp_path, text)

    assert (report.code, report.message) == ("unsupported-call", "cudaGraphCreate")


def test_a_program_that_launches_nothing_says_nothing(tmp_path: Path) -> None:
    text = KERNEL + '#include <stdio.h>\nint main() { puts("PASS"); }\n'

    assert observe(tmp_path, text).code == "no-launch"


def test_a_program_cannot_write_into_the_checkout(tmp_path: Path) -> None:
    text = (KERNEL + MAIN).replace(
        "  return 0;", '  fopen("planted", "w");\n  return 0;'
    )
    observe(tmp_path, text)

    assert not (tmp_path / "planted").exists()


def test_several_threads_that_write_the_same_are_no_race(tmp_path: Path) -> None:
    text = (KERNEL + MAIN).replace("to[i] = from[i + 1];", "to[0] = n;")

    assert list_faults(observe(tmp_path, text)) == []


def test_memory_that_the_kernel_does_not_depend_on_may_be_rubbish(
    tmp_path: Path,
) -> None:
    text = (KERNEL + MAIN).replace("to[i] = from[i + 1];", "to[i] = 0 * i;")
    text = text.replace(
        "cudaMemcpy(from, values, n * sizeof(float), cudaMemcpyHostToDevice);", ""
    )

    assert list_faults(observe(tmp_path, text)) == []
