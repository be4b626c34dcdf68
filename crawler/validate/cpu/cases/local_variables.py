"""Find out whether a kernel reads local variables that it never wrote.

Programs are made with what such variables hold at first: zeros where they are traced, a pattern
where they are run for their results. In both the elements of an array are all the same, so that
the largest of six counts is where it was; such a kernel is run with rubbish in its place, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, tokenize
from crawler.model import KernelUnit
from crawler.validate.cpu.cases.subject_search import OrdinaryCase
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import KernelLaunch
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.values.element_types import ElementType

_IGNORED_TOKENS: Final = (TokenKind.SPACE, TokenKind.COMMENT)
_NO_TYPES: Final = frozenset({"return", "else", "delete", "case", "throw"})
_MAX_DIMENSIONS: Final = 8


def reads_uninitialised_locals(
    program: Program, unit: KernelUnit, ordinary_case: OrdinaryCase
) -> bool:
    """Tell whether results differ between a program with a pattern in its locals, which is
    `program`, and one with zeros, or between two launches with other rubbish in its arrays.
    """
    subject = ordinary_case.subject
    trial_result = ordinary_case.trial_result
    elements = trial_result.trial.memory.elements
    launch = trial_result.trial.build_launch(subject.layout)
    entry = ordinary_case.subject.entry
    execution, repeated = run_launches(program, [launch, launch])
    # a clock differs anyhow
    if _differs(execution, repeated, elements):
        return False

    # the traced run had zeros there: where it gave the same, nothing has to be compiled
    if _differs(execution, trial_result.execution, elements):
        zeroed = _run_with_zeros(unit, launch, entry)
        if zeroed is not None and _differs(execution, zeroed, elements):
            return True

    if not declares_bare_arrays(unit.source):
        return False
    soiled = _run_with_rubbish(unit, launch, entry)

    return soiled is not None and _differs(soiled[0], soiled[1], elements)


def declares_bare_arrays(text: str) -> bool:
    """Tell whether a text may declare an array without a value: `int counts[6];`.

    Members of structures are among them, and what stands in shared memory.
    """
    tokens = [token for token in tokenize(text) if token.kind not in _IGNORED_TOKENS]
    return any(
        _is_bare_array(tokens, position) for position in range(1, len(tokens) - 2)
    )


def _is_bare_array(tokens: Sequence[Token], position: int) -> bool:
    """Tell whether a name that follows a type has brackets behind it, and then nothing."""
    before, name, opening = tokens[position - 1 : position + 2]
    is_named_type = before.kind is TokenKind.NAME and before.text not in _NO_TYPES
    if not is_named_type and before.text != ">":
        return False
    if name.kind is not TokenKind.NAME or opening.text != "[":
        return False

    end = position + 1
    for _ in range(_MAX_DIMENSIONS):
        if end >= len(tokens) or tokens[end].text != "[":
            break
        closing = closing_token(tokens, end, end + 200)
        if closing < 0:
            return False
        end = closing + 1

    return end < len(tokens) and tokens[end].text in (";", ",")


def _run_with_zeros(
    unit: KernelUnit, launch: KernelLaunch, entry: int
) -> Execution | None:
    options = BuildOptions(zero_locals=True, fast_build=True)
    program = build_cpu_program(unit, options, entry=entry, describe=False)
    if not program.executable:
        return None

    (execution,) = run_launches(program, [launch])

    return execution


def _run_with_rubbish(
    unit: KernelUnit, launch: KernelLaunch, entry: int
) -> tuple[Execution, Execution] | None:
    """Return two runs with other rubbish in what nobody initialises; `None` where the program
    does not compile so, or is too slow without optimisation.
    """
    options = BuildOptions(soil_locals=True, fast_build=True)
    program = build_cpu_program(unit, options, entry=entry, describe=False)
    if not program.executable:
        return None

    first, second = run_launches(program, [launch, launch])
    is_slow = {first.outcome, second.outcome} & {Outcome.TIMEOUT, Outcome.KILLED}

    return None if is_slow else (first, second)


def _differs(
    first: Execution, second: Execution, elements: Sequence[ElementType]
) -> bool:
    """Tell whether two runs ended otherwise, or left other numbers."""
    if first.outcome is not second.outcome:
        return True

    return any(
        _mask_padding(first_bytes, element) != _mask_padding(second_bytes, element)
        for first_bytes, second_bytes, element in zip(
            first.buffers, second.buffers, elements, strict=True
        )
    )


def _mask_padding(content: bytes, element: ElementType) -> bytes:
    """Return content with zeros between the fields of its structures, which hold nothing."""
    if element.fields is None:
        return content

    masked = bytearray(len(content))
    for field in element.fields:
        for place in range(field.offset, field.offset + field.scalar.size):
            masked[place :: element.size] = content[place :: element.size]

    return bytes(masked)
