"""Check golden outputs against another kernel of the project that takes the same and is written
otherwise: a naive one beside a tuned one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Case, CaseBuffer, CaseKind, Kernel, KernelUnit, Oracle, Suite
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.host_functions.output_agreement import outputs_agree
from crawler.validate.oracle_interface import (
    MIN_AGREEING_CASES,
    FileReader,
    GoldenOracle,
    OracleAgreement,
    OracleExample,
)
from crawler.validate.values.blobs import Blobs

_UNSUITABLE_CASES: Final = (CaseKind.SPECIAL, CaseKind.FEW_BLOCKS, CaseKind.ONE_WARP)
"""Grids that leave work undone in one version and not in the other, and what is undefined."""
_UNWRITTEN: Final = b"\xff"
_MAX_CASE_SECONDS: Final = 2.0
_MAX_VERSIONS: Final = 3
_EXAMPLE: Final = """#include <kernelset/torch.cuh>
template <typename T> __global__ void scale_naive(int n, const T* input, T* output) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    output[i] = T(1) + input[i] + input[i];
}
template __global__ decltype(scale_naive<float>) scale_naive<float>;
"""


class _ProjectVersion:
    name = "project_version"
    order = 20

    def find_agreement(
        self,
        kernel: Kernel,
        unit: KernelUnit,
        suite: Suite,
        blobs: Blobs,
        read_file: FileReader,
        versions: Sequence[Kernel] = (),
    ) -> OracleAgreement | None:
        """Return the agreement of the first version that gives every case.

        A version may want another configuration than its sibling's, or mean something else, so
        that nothing follows from a difference: this oracle abstains then.
        """
        cases = [case for case in suite.cases if case.kind not in _UNSUITABLE_CASES]
        if len(cases) < MIN_AGREEING_CASES:
            return None

        for version in versions[:_MAX_VERSIONS]:
            program, entry = _build_version(version, unit, cases[0])
            if program is not None and _gives_every_case(program, entry, cases, blobs):
                return OracleAgreement(
                    oracle=Oracle.PROJECT_VERSION,
                    implementation=f"`{version.name}` in {version.span.path}",
                    agreeing_cases=tuple(case.name for case in cases),
                    differing_cases=(),
                )

        return None

    def make_example(self, kernel: Kernel, suite: Suite) -> OracleExample:
        """Return a version of `scale` whose threads stride over what there is to do."""
        if kernel.unit is None:
            return OracleExample()
        unit = replace(
            kernel.unit,
            source=_EXAMPLE,
            kernel_name="scale_naive",
            digest=hashlib.sha256(_EXAMPLE.encode()).hexdigest(),
        )
        version = replace(kernel, name="scale_naive", unit=unit)
        return OracleExample(versions=(version,))


def _build_version(
    version: Kernel, unit: KernelUnit, case: Case
) -> tuple[Program | None, int]:
    """Return the program of a version with the same template arguments, and its entry; no program
    where it has none, or takes something else.
    """
    if version.unit is None:
        return None, 0

    arguments = _get_arguments(unit, case.entry)
    instantiations = version.unit.instantiations
    entries = [
        entry
        for entry in range(max(1, len(instantiations)))
        if _get_arguments(version.unit, entry) == arguments
    ]
    if not entries:
        return None, 0

    entry = entries[0]
    program = build_cpu_program(
        version.unit, BuildOptions(fast_build=True), entry=entry
    )
    if entry >= len(program.signatures):
        return None, 0

    sizes = [parameter.size for parameter in program.signatures[entry]]
    argument_sizes = [len(argument.content) // 2 for argument in case.arguments]
    return (program, entry) if sizes == argument_sizes else (None, 0)


def _get_arguments(unit: KernelUnit, entry: int) -> tuple[str, ...]:
    return unit.instantiations[entry].arguments if unit.instantiations else ()


def _gives_every_case(
    program: Program, entry: int, cases: Sequence[Case], blobs: Blobs
) -> bool:
    launches = [
        build_case_launch(
            replace(case, entry=entry), blobs, max_seconds=_MAX_CASE_SECONDS
        )
        for case in cases
    ]
    # most versions that mean something else show it at once
    executions = run_launches(program, launches[:1])
    if not _gives_case(cases[0], executions[0], blobs):
        return False

    executions += run_launches(program, launches[1:])
    return all(
        _gives_case(case, execution, blobs)
        for case, execution in zip(cases, executions, strict=True)
    )


def _gives_case(case: Case, execution: Execution, blobs: Blobs) -> bool:
    agrees = outputs_agree(case, execution, blobs)
    if agrees is not None:
        return agrees

    # neither says anything where there was nothing to do
    is_done = execution.outcome is Outcome.DONE
    return is_done and all(
        _is_left_alone(buffer, content, blobs)
        for buffer, content in zip(case.buffers, execution.buffers, strict=True)
    )


def _is_left_alone(buffer: CaseBuffer, content: bytes, blobs: Blobs) -> bool:
    """Tell whether neither the kernel nor its version has changed anything in a buffer."""
    initial = blobs.get(buffer.content) if buffer.content else b""
    initial = initial.ljust(buffer.size, _UNWRITTEN)
    gold = blobs.get(buffer.gold) if buffer.gold else initial
    return gold == initial == content


PLUGIN: Final[GoldenOracle] = _ProjectVersion()
