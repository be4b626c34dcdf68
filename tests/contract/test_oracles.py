"""What every oracle must hold to; a new one is found and tested by itself.

The projects are as small as can be and real all the same: a kernel that was validated on a CPU,
and beside it what the oracle's own example has, or a file with, or without, a function that
computes the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import pytest

from crawler.model import (
    CaseBuffer,
    Instantiation,
    Kernel,
    KernelUnit,
    Operator,
    OperatorPart,
    OperatorRole,
    Oracle,
    Span,
    Status,
    Suite,
)
from crawler.plugins import load_plugins
from crawler.validate.cpu.oracle_and_strength import assess_suite
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.oracle_agreement import apply_agreement
from crawler.validate.oracle_interface import (
    MIN_AGREEING_CASES,
    FileReader,
    GoldenOracle,
    OracleAgreement,
    OracleExample,
)
from crawler.validate.values.blobs import Blobs
from tests.plain import plain_kernel, plain_unit

ORACLES = load_plugins("crawler.validate.oracles", GoldenOracle)
each_oracle = pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.name)

CPU_FILE = "src/scale_cpu.cpp"
KERNEL_SOURCE = """#include <kernelset/torch.cuh>
template <typename T> __global__ void scale(int n, const T* input, T* output) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = input[i] * T(2) + T(1);
}
template __global__ decltype(scale<float>) scale<float>;
"""
AGREEING = """
template <typename T> void scale_cpu(int n, const T* input, T* output) {
  for (int i = 0; i < n; ++i) output[i] = T(1) + input[i] + input[i];
}
"""
DISAGREEING = AGREEING.replace("T(1)", "T(3)")
WITHOUT_IMPLEMENTATION = "int count_channels(int groups) { return 4 * groups; }\n"
BROKEN = "void scale_cpu(int n, const float* input, float* output) { for (;;"
CRASHING = AGREEING.replace("T(1)", "*static_cast<T*>(nullptr)")
SILENT = AGREEING.replace("output[i] =", "T unused =")


@dataclass(frozen=True)
class Project:
    """A kernel with its suite, and the files of the project that it is from."""

    kernel: Kernel
    unit: KernelUnit
    validation: CpuValidation

    def ask(
        self,
        oracle: GoldenOracle,
        read_file: FileReader,
        versions: tuple[Kernel, ...] = (),
    ) -> OracleAgreement | None:
        assert self.validation.suite is not None
        return oracle.find_agreement(
            self.kernel,
            self.unit,
            self.validation.suite,
            self.validation.blobs,
            read_file,
            versions,
        )

    def ask_about(
        self, oracle: GoldenOracle, example: OracleExample
    ) -> OracleAgreement | None:
        return self.ask(oracle, example.files.get, example.versions)

    def find_example(self, oracle: GoldenOracle) -> tuple[Project, OracleExample]:
        """Return an oracle's example, with the project whose kernel it is about."""
        assert self.validation.suite is not None
        example = oracle.make_example(self.kernel, self.validation.suite)
        if example.kernel is None:
            return self, example
        return validate_example(oracle.name), example


def make_kernel(unit: KernelUnit, *, has_cpu_part: bool) -> Kernel:
    span = Span(path=CPU_FILE, line=1, end_line=2, offset=0, end_offset=1)
    part = OperatorPart(
        role=OperatorRole.CPU, name="scale_cpu", span=span, evidence="registered: CPU"
    )
    return plain_kernel(
        unit,
        (("n", "int"), ("input", "const T *"), ("output", "T *")),
        name="scale",
        template_head="template <typename T>",
        operators=(Operator(name="scale", parts=(part,) if has_cpu_part else ()),),
    )


@cache
def validated_project() -> Project:
    instantiation = Instantiation(arguments=("float",), label="float")
    unit = plain_unit(KERNEL_SOURCE, instantiation, kernel_name="scale")
    kernel = make_kernel(unit, has_cpu_part=True)
    return Project(kernel=kernel, unit=unit, validation=validate_on_cpu(kernel))


@cache
def validate_example(oracle_name: str) -> Project:
    scale = validated_project()
    (oracle,) = (oracle for oracle in ORACLES if oracle.name == oracle_name)
    assert scale.validation.suite is not None
    kernel = oracle.make_example(scale.kernel, scale.validation.suite).kernel
    assert kernel is not None
    assert kernel.unit is not None
    validation = validate_on_cpu(kernel)
    assert validation.run.pass_exe.status is Status.CONSISTENT
    return Project(kernel=kernel, unit=kernel.unit, validation=validation)


def spoil_outputs(project: Project) -> Suite:
    """Return the suite with other golden outputs, as a faulty kernel would have given them."""
    suite, blobs = project.validation.suite, project.validation.blobs
    assert suite is not None
    return replace(
        suite,
        cases=tuple(
            replace(
                case,
                buffers=tuple(spoil_buffer(buffer, blobs) for buffer in case.buffers),
            )
            for case in suite.cases
        ),
    )


def spoil_buffer(buffer: CaseBuffer, blobs: Blobs) -> CaseBuffer:
    if not buffer.gold:
        return buffer
    # another bit of the exponent makes a number that no tolerance forgives
    content = bytes(byte ^ 0x40 for byte in blobs.get(buffer.gold))
    digest = blobs.put(content)
    return replace(buffer, gold=digest, gold_filled=digest)


def reader(text: str) -> FileReader:
    return {CPU_FILE: text}.get


def test_oracles_are_found_in_order() -> None:
    assert ORACLES
    assert [oracle.order for oracle in ORACLES] == sorted(
        oracle.order for oracle in ORACLES
    )
    assert len({oracle.name for oracle in ORACLES}) == len(ORACLES)


@pytest.mark.apt
@each_oracle
def test_an_oracle_speaks_for_its_example(oracle: GoldenOracle) -> None:
    project, example = validated_project().find_example(oracle)
    run, suite = project.validation.run, project.validation.suite
    assert suite is not None
    agreement = project.ask_about(oracle, example)
    assert agreement is not None
    assert agreement.is_conclusive
    assert len(agreement.agreeing_cases) >= MIN_AGREEING_CASES
    assert agreement.oracle is not Oracle.CPU_SIMT
    blobs = project.validation.blobs
    judged, proven = apply_agreement(run, suite, blobs, agreement)
    assert judged.pass_exe.status is Status.PASS
    assert proven.oracle is agreement.oracle


@pytest.mark.apt
@each_oracle
def test_an_oracle_does_not_speak_for_other_outputs_than_its_examples(
    oracle: GoldenOracle,
) -> None:
    project, example = validated_project().find_example(oracle)
    validation = replace(project.validation, suite=spoil_outputs(project))
    agreement = replace(project, validation=validation).ask_about(oracle, example)
    assert agreement is None or not agreement.is_conclusive


@pytest.mark.apt
@each_oracle
@pytest.mark.parametrize(
    "text",
    [
        AGREEING,
        DISAGREEING,
        WITHOUT_IMPLEMENTATION,
        BROKEN,
        CRASHING,
        SILENT,
        "",
        "\0(",
    ],
)
def test_an_agreement_is_about_cases_of_the_suite(
    oracle: GoldenOracle, text: str
) -> None:
    project = validated_project()
    agreement = project.ask(oracle, reader(text))
    assert agreement == project.ask(oracle, reader(text))
    if agreement is None:
        return
    assert project.validation.suite is not None
    case_names = {case.name for case in project.validation.suite.cases}
    agreeing, differing = set(agreement.agreeing_cases), set(agreement.differing_cases)
    assert agreeing | differing <= case_names
    assert not agreeing & differing
    assert agreement.implementation


@pytest.mark.apt
@each_oracle
@pytest.mark.parametrize("text", [DISAGREEING, BROKEN, CRASHING, SILENT])
def test_what_computes_something_else_or_nothing_speaks_for_no_kernel(
    oracle: GoldenOracle, text: str
) -> None:
    project = validated_project()
    agreement = project.ask(oracle, reader(text))
    if agreement is None:
        return
    assert not agreement.is_conclusive
    run, suite = project.validation.run, project.validation.suite
    assert suite is not None
    blobs = project.validation.blobs
    assert apply_agreement(run, suite, blobs, agreement) == (run, suite)


@pytest.mark.apt
@each_oracle
def test_an_oracle_without_an_implementation_abstains(oracle: GoldenOracle) -> None:
    project = validated_project()
    assert project.ask(oracle, reader(WITHOUT_IMPLEMENTATION)) is None
    assert project.ask(oracle, lambda _: None) is None
    without_part = replace(
        project, kernel=make_kernel(project.unit, has_cpu_part=False)
    )
    assert without_part.ask(oracle, reader(AGREEING)) is None


@pytest.mark.apt
@each_oracle
def test_an_oracle_abstains_where_there_are_no_cases(oracle: GoldenOracle) -> None:
    project = validated_project()
    assert project.validation.suite is not None
    empty = replace(project.validation.suite, cases=())
    agreement = oracle.find_agreement(
        project.kernel, project.unit, empty, project.validation.blobs, reader(AGREEING)
    )
    assert agreement is None


@pytest.mark.apt
def test_a_suite_is_assessed_by_all_oracles() -> None:
    project = validated_project()
    assert project.validation.run.pass_exe.status is Status.CONSISTENT
    outcomes = {}
    for text in (AGREEING, DISAGREEING, WITHOUT_IMPLEMENTATION):
        assessed = assess_suite(
            project.kernel,
            project.validation,
            measures_strength=False,
            read_file=reader(text),
        )
        outcomes[text] = assessed.run.pass_exe.status
    assert outcomes == {
        AGREEING: Status.PASS,
        DISAGREEING: Status.CONSISTENT,
        WITHOUT_IMPLEMENTATION: Status.CONSISTENT,
    }
