"""Tests that are handed out: they build with compilers that know nothing of us, and fail for a
kernel that is wrong.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler import headers
from crawler.model import CaseArgument, CasePointer, Dialect, Status
from crawler.toolchains import discovery
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.harness.judged_test import build_judged_test
from crawler.validate.harness.program import build_harness
from crawler.validate.harness.project_folder import collect_cpu_headers, render_folder
from crawler.validate.values.blobs import Blobs
from tests.integration.harness.handed_out_test import (
    SOURCE,
    Made,
    clang,
    compile_and_run,
    make_floats,
    write_test,
)

pytestmark = pytest.mark.apt


@pytest.fixture(scope="module")
def example(making: Any) -> Made:
    """A kernel with a structure, a table of pointers and dynamic memory; three cases, one of
    them hidden, one large.
    """
    blobs, argument = Blobs(), making.given
    unit = making.unit(SOURCE, "k", Dialect.CUDA, "float")

    def case(name: str, n: int, grid: int, *, hidden: bool = False) -> Any:
        words = [
            ("rows", [0.0] * 4),
            ("out", [float(index) for index in range(n)]),
            ("n", n),
            ("low", -0.5),
        ]
        plain = making.case(
            blobs,
            name,
            [argument(word, value, word == "out") for word, value in words],
            grid=grid,
            hidden=hidden,
        )
        table, out = plain.buffers
        data = make_floats(blobs, "view.data", [index * 0.3 for index in range(2 * n)])
        table = replace(
            table,
            element="const float *",
            element_size=8,
            pointers=(CasePointer(at=8, buffer=2, offset=4),),
        )
        view = CaseArgument(
            name="view",
            content="00" * 8 + "02000000" + "00" * 4,
            pointers=(CasePointer(at=0, buffer=2),),
        )
        return replace(
            plain,
            shared_bytes=256,
            buffers=(table, out, data),
            arguments=(view, *plain.arguments),
        )

    program = build_cpu_program(unit)
    assert program.verdict.status is Status.PASS, program.verdict.message
    cases = [
        case("ordinary", 100, 2),
        case("large", 5000, 79),
        case("secret", 64, 1, hidden=True),
    ]
    return Made(unit=unit, blobs=blobs, suite=making.suite(unit, program, cases, blobs))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tests")
    for name, content in collect_cpu_headers().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def test_a_test_passes_for_its_kernel_and_holds_no_hidden_case(
    example: Made, place: Path
) -> None:
    test = write_test(place, example, "test_k")
    ended = compile_and_run(place, test, clang(), "-O1")
    assert (ended.returncode, ended.stdout) == (
        0,
        "[  ok  ] ordinary\n[  ok  ] large\nAll tests passed!\n",
    )
    assert "secret" not in test.source
    assert test.beside
    (place / test.beside_file).rename(place / "elsewhere")
    assert (
        subprocess.run(
            [place / test.name], cwd=place, capture_output=True, check=False
        ).returncode
        == 2
    )


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "* 2.f",
            "* 2.001f",
            "[FAILED] ordinary: out[0] is 75.9377975 where 75.9000015 is expected",
        ),
        ("if (i < n) out", "if (i <= n) out", "something was written outside it"),
    ],
)
def test_a_test_fails_for_a_kernel_that_is_wrong(
    example: Made, place: Path, before: str, after: str, message: str
) -> None:
    assert before in SOURCE
    wrong = replace(example.unit, source=SOURCE.replace(before, after))
    ended = compile_and_run(
        place, write_test(place, example, "test_wrong", wrong), clang(), "-O0"
    )
    assert ended.returncode == 1, ended.stdout
    assert message in ended.stdout
    assert "All tests passed!" not in ended.stdout


def test_nvcc_takes_it(example: Made, place: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc here")
    test = write_test(place, example, "test_nv")
    subprocess.run(
        [nvcc, "-std=c++17", "-c", test.file, "-o", "nv.o"],
        cwd=place,
        check=True,
        timeout=120,
    )


def test_a_compiler_of_hip_takes_the_port(example: Made, place: Path) -> None:
    rocm = discovery.find_rocm()
    assert rocm is not None
    source = SOURCE.replace("kernelset/cuda.cuh", "kernelset/hip.h")
    test = write_test(
        place,
        example,
        "test_hip",
        replace(example.unit, source=source, dialect=Dialect.HIP),
    )
    assert test.suffix == ".hip"
    words = [
        "-x",
        "hip",
        "-nogpulib",
        "--offload-arch=gfx90a",
        "-std=gnu++17",
        "-w",
        "-fsyntax-only",
    ]
    # what this HIP is too old to have; nothing of ours that a unit includes
    newer = place / "newer" / "hip"
    shutil.copytree(headers.ROOT / "hip" / "hip", newer)
    subprocess.run(
        [clang(), *words, f"-I{newer.parent}", test.file],
        cwd=place,
        check=True,
        timeout=120,
    )


@pytest.mark.apt("bwrap")
def test_a_judge_hands_over_structures_and_tables_of_pointers(
    example: Made, place: Path, tmp_path: Path
) -> None:
    judged = build_judged_test(
        example.unit, example.suite, example.blobs, name="test_k"
    )
    folder = tmp_path / "tests"
    shutil.copytree(place / "include", folder / "include")
    for name, content in render_folder([judged]).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    kernel = judged.files["kernels/test_k.cu"].decode()
    wrong = kernel.replace("rows[1][i]", "rows[1][i + 1]")
    assert wrong != kernel
    (tmp_path / "test_k.cu").write_text(wrong)

    judge = tmp_path / "judge"
    source = folder / "judge" / "judge.cpp"
    subprocess.run([clang(), "-std=c++17", source, "-o", judge], check=True)
    words = [str(judge), str(folder), "test_k", "--compiler", clang()]
    for options, expected in (((), 0), (("--candidates", str(tmp_path)), 1)):
        ended = subprocess.run(
            [*words, *options], capture_output=True, text=True, check=False
        )
        assert ended.returncode == expected, ended.stdout
        assert "secret" not in ended.stdout
        assert "of 2 cases failed; " in ended.stdout
        assert (" 0 fresh inputs" in ended.stdout) == bool(expected), ended.stdout


def test_the_environment_of_a_test_is_nobodys(example: Made, place: Path) -> None:
    """No folder of this machine stands in what is handed out."""
    test = build_harness(example.unit, example.suite, example.blobs, name="t")
    assert str(headers.ROOT) not in test.source
    judged = build_judged_test(example.unit, example.suite, example.blobs, name="t")
    for name, content in render_folder([judged]).items():
        assert os.fsencode(str(headers.ROOT)) not in content, name
