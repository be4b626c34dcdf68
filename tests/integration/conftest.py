"""Suites for kernels of our own: cases by hand, golden outputs by running them."""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Dialect,
    Instantiation,
    KernelUnit,
    Suite,
)
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.values.blobs import Blobs


@dataclass(frozen=True)
class Given:
    """What a case passes: an `int`, a `float`, an input (a list of floats) or an output (its
    number of floats).
    """

    name: str
    value: int | float | Sequence[float]
    is_output: bool = False


def unit_of(
    source: str, name: str = "k", dialect: Dialect = Dialect.CUDA, *arguments: str
) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name=name,
        instantiations=(Instantiation(arguments=arguments, label="_".join(arguments)),),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def case_of(
    blobs: Blobs,
    name: str,
    given: Sequence[Given],
    *,
    grid: int = 1,
    block: int = 64,
    kind: CaseKind = CaseKind.ORDINARY,
    hidden: bool = False,
) -> Case:
    buffers: list[CaseBuffer] = []
    arguments: list[CaseArgument] = []
    for each in given:
        if isinstance(each.value, float):
            arguments.append(
                CaseArgument(name=each.name, content=struct.pack("f", each.value).hex())
            )
        elif isinstance(each.value, int) and not each.is_output:
            arguments.append(
                CaseArgument(name=each.name, content=struct.pack("i", each.value).hex())
            )
        else:
            pointer = CasePointer(at=0, buffer=len(buffers))
            arguments.append(
                CaseArgument(name=each.name, content="00" * 8, pointers=(pointer,))
            )
            buffers.append(_buffer(blobs, each))
    return Case(
        name=name,
        kind=kind,
        grid=(grid, 1, 1),
        block=(block, 1, 1),
        arguments=tuple(arguments),
        buffers=tuple(buffers),
        hidden=hidden,
    )


def _buffer(blobs: Blobs, argument: Given) -> CaseBuffer:
    if isinstance(argument.value, int | float):
        size, content, role = 4 * int(argument.value), "", BufferRole.OUT
    else:
        raw = array("f", argument.value).tobytes()
        size, content, role = (
            len(raw),
            blobs.put(raw),
            BufferRole.INOUT if argument.is_output else BufferRole.IN,
        )
    return CaseBuffer(
        name=argument.name,
        element="float",
        element_size=4,
        size=size,
        role=role,
        content=content,
    )


def golden_suite(
    unit: KernelUnit, program: Program, cases: Sequence[Case], blobs: Blobs
) -> Suite:
    """Run each case and take what comes out as its gold."""
    done = []
    for case, ended in zip(
        cases,
        run_launches(program, [build_case_launch(case, blobs) for case in cases]),
        strict=True,
    ):
        assert ended.outcome is Outcome.DONE, ended.findings
        buffers = tuple(
            replace(buffer, gold=blobs.put(content), written=(0, buffer.size))
            if buffer.role.is_written
            else buffer
            for buffer, content in zip(case.buffers, ended.buffers, strict=True)
        )
        done.append(replace(case, buffers=buffers))
    return Suite(unit=unit.digest, seed=0, cases=tuple(done))


@dataclass(frozen=True)
class Making:
    """How tests make suites: modules of tests cannot import each other."""

    given: type[Given] = Given
    unit: Callable[..., KernelUnit] = unit_of
    case: Callable[..., Case] = case_of
    suite: Callable[..., Suite] = golden_suite


@pytest.fixture(scope="session")
def making() -> Making:
    return Making()
