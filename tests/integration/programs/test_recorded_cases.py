"""Launches of a project's own program become cases of its kernel, on which its unit is held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import (
    BufferRole,
    Case,
    CaseKind,
    CaseOrigin,
    CompileCommand,
    Dialect,
    Extents,
    FlagsOrigin,
    Instantiation,
    Kernel,
    Status,
)
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_further, validate_on_cpu
from crawler.validate.harness.project_folder import collect_cpu_headers
from crawler.validate.programs.author_launches import observe_program
from crawler.validate.programs.program_sources import ProgramSources
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.values.scalar_types import ScalarType, decode
from tests.integration.harness.handed_out_test import (
    Made,
    clang,
    compile_and_run,
    write_test,
)
from tests.plain import plain_kernel, plain_unit

pytestmark = pytest.mark.apt
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"
STRUCTURES = """struct View { const float* data; float* rows; long spare; int width; };
"""
KERNEL = """__global__ void k(View view, float* out, short step, size_t height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= view.width || y >= height) return;
  out[y * view.width + x] = view.data[y * step + x] + view.rows[y];
}
"""
# `spare` is never written and holds what looks like a pointer; the sizes have other types than the kernel's
MAIN = """void launch(float* from, float* to, int width, int height) {
  View view;
  view.spare = (long)from;
  view.data = from + 2;
  view.rows = from;
  view.width = width;
  k<<<dim3((width + 31) / 32, height), 32>>>(view, to, width + 2, height);
}
int main() {
  float *from, *to, values[1200];
  for (int i = 0; i < 1200; ++i) values[i] = i * 0.5f;
  cudaMalloc(&from, sizeof(values));
  cudaMalloc(&to, sizeof(values));
  cudaMemcpy(from, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, sizeof(values));
  for (int round = 0; round < 4; ++round) launch(from, to, 40 + round, 7 + round);
  return 0;
}
"""


def record(tmp_path: Path, text: str) -> tuple[RecordedLaunch, ...]:
    """Return the launches that a program of this source made."""
    tmp_path.chmod(0o755)
    (tmp_path / "main.cu").write_text(LICENCE + "#include <cuda_runtime.h>\n" + text)
    command = CompileCommand(
        directory=".",
        file="main.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    report = observe_program(tmp_path, ProgramSources(main=command))
    assert report.code == "", report.message
    return tuple(launch for kernel in report.kernels for launch in kernel.recordings)


def validate(
    text: str,
    recordings: Sequence[RecordedLaunch],
    *instantiations: Instantiation,
    endings: str = "",
) -> CpuValidation:
    """Return what comes of a unit of this text with these launches."""
    unit = plain_unit(
        f"#include <kernelset/cuda.cuh>\n{text}{endings}", *instantiations
    )
    return validate_on_cpu(make_kernel(unit), recordings=recordings)


def make_kernel(unit: object) -> Kernel:
    return plain_kernel(
        unit,  # type: ignore[arg-type]
        [("view", "View"), ("out", "float*"), ("step", "short"), ("height", "size_t")],
    )


def list_recorded(validation: CpuValidation) -> list[Case]:
    assert validation.suite is not None, validation.run.pass_exe
    return [
        case for case in validation.suite.cases if case.origin is not CaseOrigin.SEARCH
    ]


def test_launches_become_cases_as_they_were_made(tmp_path: Path) -> None:
    recordings = record(tmp_path, STRUCTURES + KERNEL + MAIN)

    validation = validate(STRUCTURES + KERNEL, recordings)

    cases = list_recorded(validation)
    assert validation.run.pass_exe.status is Status.CONSISTENT
    assert validation.run.extents is Extents.LAUNCHER
    assert {case.grid for case in cases} == {(2, 7 + n, 1) for n in range(4)}
    for case in cases:
        assert case.kind is CaseKind.RECORDED
        assert case.origin is CaseOrigin.PROJECT_PROGRAM
        assert (case.source, case.licence) == ("main.cu", "BSD-3-Clause")
        roles = {buffer.name: buffer.role for buffer in case.buffers if buffer.size}
        assert roles == {"view.data": BufferRole.IN, "out": BufferRole.OUT}
        # the kernel's types, whatever the caller passed: a `short` of 2 bytes, a `size_t` of 8
        assert [len(argument.content) // 2 for argument in case.arguments] == [
            32,
            8,
            2,
            8,
        ]
        view = case.arguments[0].pointers
        assert [(pointer.at, pointer.offset) for pointer in view] == [(0, 8), (8, 0)]


def test_a_unit_that_computes_otherwise_is_found(tmp_path: Path) -> None:
    recordings = record(tmp_path, STRUCTURES + KERNEL + MAIN)
    changed = KERNEL.replace("+ view.rows[y]", "- view.rows[y]")

    verdict = validate(STRUCTURES + changed, recordings).run.pass_exe

    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "unit-differs")
    assert "out differs at byte " in verdict.message
    assert "of main.cu" in verdict.message


def test_a_kernel_whose_inputs_nobody_guesses_has_recorded_cases(
    tmp_path: Path,
) -> None:
    picky = KERNEL.replace(
        "  if (x >=", "  if (height * 977 % 89 > 60) __trap();\n  if (x >="
    )
    guarded = picky.replace("height * 977 % 89 > 60", "view.width - 40 + 7 != height")
    recordings = record(tmp_path, STRUCTURES + guarded + MAIN)

    alone = validate(STRUCTURES + guarded, ())
    validation = validate(STRUCTURES + guarded, recordings)

    assert alone.suite is None
    assert len(list_recorded(validation)) == 4


TEMPLATE = """template <typename T, int Step>
__global__ void k(const T* x, T* y, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i * Step] * factor;
}
"""
TEMPLATE_MAIN = """int main() {
  float *x, *y, values[90];
  for (int i = 0; i < 90; ++i) values[i] = i + 0.25f;
  cudaMalloc(&x, sizeof(values));
  cudaMalloc(&y, sizeof(values));
  cudaMemcpy(x, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, sizeof(values));
  for (int n = 20; n < 45; n += 8) k<float, 2><<<2, 32>>>(x + 2, y, 1.5f, n);
  return 0;
}
"""


def test_an_instantiation_that_nothing_launches_has_the_launches_of_another(
    tmp_path: Path,
) -> None:
    recordings = record(tmp_path, TEMPLATE + TEMPLATE_MAIN)
    instantiations = [
        Instantiation(label=f"{name}, 2", arguments=(name, "2"))
        for name in ("float", "double")
    ]
    endings = "".join(
        f"template __global__ decltype(k<{instantiation.arguments[0]}, 2>) k<{instantiation.arguments[0]}, 2>;\n"
        for instantiation in instantiations
    )
    unit = plain_unit(
        f"#include <kernelset/cuda.cuh>\n{TEMPLATE}{endings}", *instantiations
    )
    kernel = plain_kernel(
        unit, [("x", "const T*"), ("y", "T*"), ("factor", "T"), ("n", "int")]
    )

    for entry, size in enumerate((4, 8)):
        validation = validate_further(kernel, unit, entry, recordings=recordings)

        cases = list_recorded(validation)
        assert len(cases) == 4
        for case in cases:
            assert [buffer.size for buffer in case.buffers] == [90 * size, 90 * size]
            assert case.arguments[0].pointers[0].offset == 2 * size
            factor = decode(
                ScalarType("double" if entry else "float"),
                bytes.fromhex(case.arguments[2].content),
            )
            assert tuple(factor) == (1.5,)
            numbers = decode(
                ScalarType("double" if entry else "float"),
                validation.blobs.get(case.buffers[1].gold),
            )
            assert numbers[3] == (8 + 0.25) * 1.5


def test_recorded_cases_are_exported_as_tests(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    recordings = record(project, STRUCTURES + KERNEL + MAIN)
    validation = validate(STRUCTURES + KERNEL, recordings)
    assert validation.suite is not None
    # nothing but them
    suite = replace(validation.suite, cases=tuple(list_recorded(validation)))
    unit = plain_unit(f"#include <kernelset/cuda.cuh>\n{STRUCTURES}{KERNEL}")
    for path, content in collect_cpu_headers().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)

    made = Made(unit=unit, blobs=validation.blobs, suite=suite)
    test = write_test(tmp_path, made, "test_k")
    ended = compile_and_run(tmp_path, test, clang(), "-O1")

    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "All tests passed!")
    wrong = replace(unit, source=unit.source.replace("y * step + x]", "y * step]"))
    test = write_test(tmp_path, made, "test_wrong", wrong)
    assert compile_and_run(tmp_path, test, clang(), "-O1").returncode == 1
