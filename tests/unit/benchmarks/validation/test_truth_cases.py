"""Kernels of known truth are read as their files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.validation.truth_cases import (
    CORRECT,
    read_file_cases,
    read_truth_cases,
)

KERNEL = "__global__ void k(int *x) {\n  x[0] = 1;\n  x[1] = 2;\n}\n"


def write_case(folder: Path, head: str) -> Path:
    file = folder / "bounds" / "k.cu"
    file.parent.mkdir(exist_ok=True)
    file.write_text(head + KERNEL)
    return file


def test_a_file_gives_its_correct_kernel_and_one_for_each_defect(
    tmp_path: Path,
) -> None:
    head = (
        "//: defect far: out-of-bounds|race\n//- x[0] = 1;\n//+ x[9] = 1;\n"
        "//: defect both: race\n//- x[0] = 1;\n//-   x[1] = 2;\n//+ x[0] = 3;\n"
    )
    correct, far, both = read_file_cases(write_case(tmp_path, head))
    assert (correct.variant, correct.text, correct.is_correct) == (
        CORRECT,
        KERNEL,
        True,
    )
    assert far.codes == {"out-of-bounds", "race"}
    assert far.text == KERNEL.replace("x[0] = 1;", "x[9] = 1;")
    assert both.text == "__global__ void k(int *x) {\n  x[0] = 3;\n}\n"
    assert both.name == "bounds/k.cu: both"


def test_a_defect_may_change_several_places(tmp_path: Path) -> None:
    head = "//: defect both: race\n//- 1;\n//+ 3;\n//- x[1] = 2;\n//+ x[1] = 1;\n"
    _, both = read_file_cases(write_case(tmp_path, head))
    assert both.text == KERNEL.replace("1;", "3;").replace("x[1] = 2;", "x[1] = 1;")


def test_a_project_may_have_other_files(tmp_path: Path) -> None:
    head = "//: defect far: race\n//- x[0]\n//+ x[9]\n"
    file = write_case(tmp_path, head)
    other_files = "//: file k.h\n#pragma once\n//: file CMakeLists.txt\nproject(k)\n"
    file.write_text(file.read_text() + other_files)
    for case in read_file_cases(file):
        assert case.text.endswith("x[1] = 2;\n}\n")
        assert case.other_files == (
            ("k.h", "#pragma once\n"),
            ("CMakeLists.txt", "project(k)\n"),
        )


@pytest.mark.parametrize("lines", ["//+ x[9]\n", "//- x[0]\n", "//- 1;\n//? 2;\n"])
def test_a_change_without_both_sides_is_refused(tmp_path: Path, lines: str) -> None:
    file = write_case(tmp_path, f"//: defect far: race\n{lines}")
    with pytest.raises(ValueError, match="in turns"):
        read_file_cases(file)


def test_a_defect_that_stands_nowhere_is_refused(tmp_path: Path) -> None:
    file = write_case(tmp_path, "//: defect far: race\n//- x[7]\n//+ x[8]\n")
    with pytest.raises(ValueError, match="far does not stand once"):
        read_file_cases(file)


def test_every_planted_defect_changes_its_kernel() -> None:
    cases = read_truth_cases()
    correct_texts = {case.text for case in cases if case.is_correct}
    assert len(correct_texts) >= 45
    defects = [case for case in cases if not case.is_correct]
    assert len(defects) >= 100
    assert not [case.name for case in defects if case.text in correct_texts]
    assert len({case.name for case in cases}) == len(cases)
