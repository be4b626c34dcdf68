"""Check golden outputs against the project's own CPU implementation, run on the same inputs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler import codec
from crawler.model import (
    Case,
    CaseBuffer,
    CaseKind,
    Dialect,
    Instantiation,
    Kernel,
    KernelUnit,
    OperatorRole,
    Oracle,
    Run,
    Status,
    Suite,
    Verdict,
)
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.host_functions.matching import (
    HostFunction,
    list_host_functions,
    list_top_level_definitions,
    match_parameters,
)
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.parameter_types import Signature
from crawler.validate.values.scalar_types import ScalarType, decode

MIN_AGREEING_CASES: Final = 3
"""Cases in which both must agree."""
_NAME: Final = "kernelset_project_cpu"
_LIMITED: Final = (CaseKind.SPECIAL, CaseKind.FEW_BLOCKS, CaseKind.ONE_WARP)
"""What shows of a kernel what no host function has: grids that leave work undone; and what is
undefined in either.
"""
_ROUNDING: Final = {
    ScalarType.FLOAT: 1e-4,
    ScalarType.DOUBLE: 1e-9,
    ScalarType.HALF: 1e-2,
    ScalarType.BFLOAT16: 5e-2,
}
"""Of an output's largest magnitude: another order of the same sum differs by as much."""
# what a launcher has ruled out its function need not ask again: a kernel does not
_CHECKS: Final = "".join(
    f"#undef {name}\n#define {name}(...) static_cast<void>(0)\n"
    for name in (
        "AT_ASSERTM",
        "AT_ASSERT",
        "TORCH_CHECK",
        "TORCH_INTERNAL_ASSERT",
        "CHECK",
    )
)
_STANDARD: Final = "#include <algorithm>\n#include <cmath>\n#include <cstring>\n#include <numeric>\n#include <vector>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleAgreement:
    """In which cases a function of the project gives what the kernel gives."""

    function: str
    agreeing_cases: tuple[str, ...]
    differing_cases: tuple[str, ...]

    @property
    def is_conclusive(self) -> bool:
        """Tell whether it speaks for the golden outputs."""
        return (
            len(self.agreeing_cases) >= MIN_AGREEING_CASES and not self.differing_cases
        )


def find_agreement(
    kernel: Kernel,
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    read_file: Callable[[str], str | None] = lambda _: None,
) -> OracleAgreement | None:
    """Return how far the project's own implementation agrees; `None` where none takes what the
    kernel takes.

    `read_file` gives the text of a file of the project by its path, so that the types come
    along that a function needs.
    """
    entry = suite.cases[0].entry if suite.cases else 0
    signatures = build_cpu_program(unit, BuildOptions(), entry=entry).signatures
    if entry >= len(signatures):
        return None
    best: OracleAgreement | None = None
    for text in _texts(kernel, read_file):
        for function in list_host_functions(text):
            places = match_parameters(function, kernel.parameters, signatures[entry])
            if places is None or not _writes(places, suite):
                continue
            found = _tried(
                unit, text, function, places, signatures[entry], suite, blobs
            )
            if found and found.is_conclusive:
                return found
            best = best or found
    return best


def apply_agreement(
    run: Run, suite: Suite, blobs: Blobs, cpu_agreement: OracleAgreement
) -> tuple[Run, Suite]:
    """Return a run that passes, and its suite, where the project's own implementation speaks
    for its outputs.
    """
    if not cpu_agreement.is_conclusive or run.pass_exe.status is not Status.CONSISTENT:
        return run, suite
    sure = replace(suite, oracle=Oracle.PROJECT_CPU)
    message = f"`{cpu_agreement.function}` of the project gives the same in {len(cpu_agreement.agreeing_cases)} cases"
    verdict = Verdict(status=Status.PASS, message=message)
    return replace(
        run,
        pass_exe=verdict,
        oracle=Oracle.PROJECT_CPU,
        suite=blobs.put(codec.encode(sure)),
    ), sure


def _texts(kernel: Kernel, file_of: Callable[[str], str | None]) -> Iterator[str]:
    """Yield, for each file with host code that the kernel's operators have for a CPU, what it
    defines.
    """
    paths = [
        part.span.path
        for each in kernel.operators
        for part in each.parts
        if part.role is OperatorRole.CPU
    ]
    paths += [code.span.path for code in kernel.host if code.role is OperatorRole.CPU]
    for path in dict.fromkeys(paths):
        whole = file_of(path)
        codes = [
            each
            for each in kernel.host
            if each.role is OperatorRole.CPU and each.span.path == path
        ]
        alone = "\n".join(
            each.source for each in sorted(codes, key=lambda each: each.span.offset)
        )
        yield "\n\n".join(
            list_top_level_definitions(whole if whole is not None else alone)
        )


def _writes(places: Sequence[int], suite: Suite) -> bool:
    """Tell whether a function is given every buffer that the kernel writes."""
    given = set(places)
    for case in suite.cases:
        for at, buffer in enumerate(case.buffers):
            if buffer.role.is_written and not any(
                pointer.buffer == at
                for place in given
                for pointer in case.arguments[place].pointers
            ):
                return False
    return bool(suite.cases)


def _tried(
    unit: KernelUnit,
    text: str,
    function: HostFunction,
    places: Sequence[int],
    signature: Signature,
    suite: Suite,
    blobs: Blobs,
) -> OracleAgreement | None:
    cases = [case for case in suite.cases if case.kind not in _LIMITED]
    program = _program(unit, text, function, places, signature, cases)
    if program is None:
        return None
    alone = [
        replace(case, entry=0, grid=(1, 1, 1), block=(1, 1, 1), shared_bytes=0)
        for case in cases
    ]
    ended = run_launches(program, [build_case_launch(case, blobs) for case in alone])
    told = [
        (case.name, _agrees(case, each, blobs))
        for case, each in zip(cases, ended, strict=True)
    ]
    return OracleAgreement(
        function=function.name,
        agreeing_cases=tuple(name for name, right in told if right),
        differing_cases=tuple(name for name, right in told if right is False),
    )


def _program(
    unit: KernelUnit,
    text: str,
    function: HostFunction,
    places: Sequence[int],
    signature: Signature,
    cases: Sequence[Case],
) -> Program | None:
    arguments = (
        unit.instantiations[cases[0].entry].arguments
        if cases and unit.instantiations
        else ()
    )
    types = [each for each in arguments if not each[:1].isdigit()]
    spelled = (
        f"<{', '.join(types)}>"
        if types and len(types) == function.template_parameter_count
        else ""
    )
    taken = ", ".join(f"{each.type_name} p{at}" for at, each in enumerate(signature))
    for name in dict.fromkeys((function.name + spelled, function.name)):
        call = f"{name}({', '.join(f'p{at}' for at in places)})"
        prelude = (
            "kernelset/torch.cuh"
            if unit.dialect is Dialect.CUDA
            else "kernelset/torch.hip.h"
        )
        source = f"#include <{prelude}>\n{_STANDARD}{_CHECKS}{text}\n__global__ void {_NAME}({taken}) {{ {call}; }}\n"
        program = build_cpu_program(_unit(unit, source))
        if program.verdict.status is Status.PASS:
            return program
    return None


def _unit(unit: KernelUnit, source: str) -> KernelUnit:
    return replace(
        unit,
        source=source,
        kernel_name=_NAME,
        instantiations=(Instantiation(arguments=(), label=""),),
        digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
    )


def _agrees(case: Case, ended: Execution, blobs: Blobs) -> bool | None:
    """Tell whether all outputs agree; `None` where the function did not end, or wrote little of
    them.
    """
    if ended.outcome is not Outcome.DONE:
        return None
    told = [
        _same(buffer, left, blobs)
        for buffer, left in zip(case.buffers, ended.buffers, strict=True)
        if buffer.role.is_written and buffer.gold
    ]
    if False in told:
        return False
    return True if True in told else None


def _same(buffer: CaseBuffer, left: bytes, blobs: Blobs) -> bool | None:
    code = parse_element_type(buffer.element, buffer.element_size).scalar
    size = len(left) // code.size * code.size
    gold = blobs.get(buffer.gold)[:size]
    before = (blobs.get(buffer.content) if buffer.content else b"")[:size].ljust(
        size, b"\xff"
    )
    near = _ROUNDING.get(code, 0.0) * _largest(code, gold) + buffer.absolute
    wide = code.size
    compared = of = 0
    pairs = zip(decode(code, gold), decode(code, left[:size]), strict=True)
    for at, (want, have) in enumerate(pairs):
        place = slice(at * wide, (at + 1) * wide)
        of += gold[place] != before[place]
        # a host function may have less to do, where sizes that belong together were drawn alone
        if left[place] == before[place]:
            continue
        compared += 1
        if want != have and not _near(want, have, near):
            return False
    return True if compared and 2 * compared >= of else None


def _near(want: float, have: float, near: float) -> bool:
    if want != want or have != have:
        return want != want and have != have
    return not math.isinf(want) and not math.isinf(have) and abs(want - have) <= near


def _largest(code: ScalarType, raw: bytes) -> float:
    return max(
        (abs(value) for value in decode(code, raw) if math.isfinite(value)), default=0.0
    )
