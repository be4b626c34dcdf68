"""Check golden outputs against the project's own CPU implementation, run on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import (
    Case,
    CaseKind,
    Kernel,
    KernelUnit,
    OperatorRole,
    Oracle,
    Suite,
)
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.host_functions.cpu_paths import list_cpu_paths
from crawler.validate.host_functions.host_program import HostCall, build_host_program
from crawler.validate.host_functions.matching import (
    list_host_functions,
    list_top_level_definitions,
    match_parameters,
)
from crawler.validate.host_functions.output_agreement import outputs_agree
from crawler.validate.oracle_interface import (
    FileReader,
    GoldenOracle,
    OracleAgreement,
    OracleExample,
)
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import Signature

_UNSUITABLE_CASES: Final = (CaseKind.SPECIAL, CaseKind.FEW_BLOCKS, CaseKind.ONE_WARP)
"""What shows of a kernel what no host function has: grids that leave work undone; and what is
undefined in either.
"""
_SINGLE: Final = (1, 1, 1)
_EXAMPLE: Final = """
template <typename T> void scale_cpu(int n, const T* input, T* output) {
  for (int i = 0; i < n; ++i) output[i] = T(1) + input[i] + input[i];
}
"""


class _ProjectCpu:
    name = "project_cpu"
    order = 10

    def find_agreement(
        self,
        kernel: Kernel,
        unit: KernelUnit,
        suite: Suite,
        blobs: Blobs,
        read_file: FileReader,
        versions: Sequence[Kernel] = (),
    ) -> OracleAgreement | None:
        """Return the agreement of the first function that is conclusive, else of the first that
        could be run.
        """
        paths = list_cpu_paths(kernel)
        if not paths or not suite.cases:
            return None

        entry = suite.cases[0].entry
        signatures = build_cpu_program(unit, BuildOptions(), entry=entry).signatures
        if entry >= len(signatures):
            return None

        first_agreement: OracleAgreement | None = None
        for path in paths:
            definitions = _read_definitions(kernel, path, read_file)
            calls = _find_calls(definitions, kernel, signatures[entry], suite)
            for call in calls:
                agreement = _compare(unit, call, signatures[entry], suite, blobs)
                if agreement is not None and agreement.is_conclusive:
                    return agreement
                first_agreement = first_agreement or agreement

        return first_agreement

    def make_example(self, kernel: Kernel, suite: Suite) -> OracleExample:
        """Return a file whose loop adds where `scale` multiplies."""
        return OracleExample(files=dict.fromkeys(list_cpu_paths(kernel), _EXAMPLE))


def _read_definitions(kernel: Kernel, path: str, read_file: FileReader) -> str:
    """Return what a file defines; where it cannot be read, what the kernel's record has of it."""
    text = read_file(path)
    # a record holds the launching code alone, without the types that it needs
    if text is None:
        codes = [
            code
            for code in kernel.host
            if code.role is OperatorRole.CPU and code.span.path == path
        ]
        codes.sort(key=lambda code: code.span.offset)
        text = "\n".join(code.source for code in codes)

    return "\n\n".join(list_top_level_definitions(text))


def _find_calls(
    definitions: str, kernel: Kernel, signature: Signature, suite: Suite
) -> Iterator[HostCall]:
    """Yield a call of each function that takes what the kernel takes and gives what it gives."""
    for function in list_host_functions(definitions):
        places = match_parameters(function, kernel.parameters, signature)
        if places is None or not _takes_all_outputs(places, suite):
            continue

        yield HostCall(
            definitions=definitions, function=function, argument_places=places
        )


def _takes_all_outputs(argument_places: Sequence[int], suite: Suite) -> bool:
    """Tell whether a function is given every buffer that the kernel writes."""
    return all(_takes_outputs_of(argument_places, case) for case in suite.cases)


def _takes_outputs_of(argument_places: Sequence[int], case: Case) -> bool:
    given_buffers = set()
    for place in argument_places:
        for pointer in case.arguments[place].pointers:
            given_buffers.add(pointer.buffer)

    return all(
        number in given_buffers
        for number, buffer in enumerate(case.buffers)
        if buffer.role.is_written
    )


def _compare(
    unit: KernelUnit, call: HostCall, signature: Signature, suite: Suite, blobs: Blobs
) -> OracleAgreement | None:
    """Run a host function on the cases of a suite; `None` where it cannot be built."""
    cases = [case for case in suite.cases if case.kind not in _UNSUITABLE_CASES]
    entry = cases[0].entry if cases else 0
    program = build_host_program(unit, call, signature, entry)
    if program is None:
        return None

    launches = []
    for case in cases:
        # The one thread of the program's only instantiation does the work of the whole grid.
        single_thread = replace(
            case, entry=0, grid=_SINGLE, block=_SINGLE, shared_bytes=0
        )
        launches.append(build_case_launch(single_thread, blobs))

    agreeing_cases, differing_cases = [], []
    for case, execution in zip(cases, run_launches(program, launches), strict=True):
        agrees = outputs_agree(case, execution, blobs)
        if agrees is True:
            agreeing_cases.append(case.name)
        elif agrees is False:
            differing_cases.append(case.name)

    return OracleAgreement(
        oracle=Oracle.PROJECT_CPU,
        implementation=f"`{call.function.name}` of the project",
        agreeing_cases=tuple(agreeing_cases),
        differing_cases=tuple(differing_cases),
    )


PLUGIN: Final[GoldenOracle] = _ProjectCpu()
