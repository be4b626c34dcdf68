"""Units of a package are compiled once, and what was measured is gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.kernel_units.units import measure_package
from benchmarks.kernel_units.units_report import format_report


@pytest.mark.apt("clang++-19")
def test_units_are_compiled_once_and_what_was_measured_is_gone_on_with(
    tmp_path: Path,
) -> None:
    project, state = tmp_path / "halves-1.0", tmp_path / "state"
    project.mkdir()
    state.mkdir()
    source = "template <class T> __global__ void good(T* x) { *x = T(1); }\n__global__ void bad(int* x) { *x = x; }\n"
    (project / "a.cu").write_text(source + "void f(float* x) { good<<<1, 1>>>(x); }\n")
    first = measure_package(project, state)
    assert (first["kernels"], first["by_ast"], first["units"], first["compile"]) == (
        2,
        2,
        2,
        1,
    )
    assert (first["of_templates"], first["with_types"], first["templates_mapped"]) == (
        1,
        1,
        1,
    )
    assert (first["launch_tokens"]["tokens"], first["launch_tokens"]["counted"]) == (
        1,
        {"row": 1},
    )
    (broken,) = first["broken"]
    assert broken.startswith("a.cu:bad: compile-error: line ")
    verdicts_file = state / "halves.verdicts.jsonl"
    message = json.loads(
        next(line for line in verdicts_file.read_text().splitlines() if "line " in line)
    )[2]
    verdicts_file.write_text(verdicts_file.read_text().replace(message, "as kept"))
    again = measure_package(project, state)
    assert again["broken"] == ["a.cu:bad: compile-error: as kept"]
    lines = format_report([again])
    assert "| halves | 1 | 0 | 1 | none | 0 |" in lines
    assert {
        "- `halves: a.cu:good`",
        "- `halves: a.cu:bad: compile-error: as kept`",
    } <= set(lines)


@pytest.mark.apt("clang++-19")
def test_what_there_is_no_time_for_is_left_to_another_call(tmp_path: Path) -> None:
    project, state = tmp_path / "quick-1.0", tmp_path / "state"
    project.mkdir()
    state.mkdir()
    (project / "a.cu").write_text("__global__ void k(int* x) { *x = 1; }\n")
    extracted = measure_package(project, state)["units"]
    (state / "quick.verdicts.jsonl").unlink()
    assert (
        measure_package(project, state, deadline=0.0)["failed"]
        == "out of time: call it again to go on"
    )
    assert measure_package(project, state)["compile"] == extracted == 1
