"""Runs of one case that are made up: what each left in its output is what a test says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crawler.model import CaseKind
from crawler.validate.behaviour.golden_case import GoldenCase, derive_golden_case
from crawler.validate.behaviour.variants import Variants
from crawler.validate.emulator.execution_report import (
    BufferAccess,
    Execution,
    Finding,
    Outcome,
)
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.scalar_types import ScalarType, encode
from tests.stand_ins.subjects import build_base, build_plain_subject

SUBJECT = build_plain_subject()
BASE = build_base(SUBJECT)
MATH_SUBJECT = replace(
    SUBJECT,
    unit=replace(SUBJECT.unit, source=SUBJECT.unit.source + "// expf(x)\n"),
)
COUNT = 4
SIZE = 4 * COUNT
READ = BufferAccess(read_range=(0, SIZE), read_sizes=(4,), is_input=True)
WRITTEN = BufferAccess(written_range=(0, SIZE), write_sizes=(4,))
ATOMIC = replace(WRITTEN, is_atomic=True)
GOLD = (1.0, 2.0, 3.0, 100.0)
OUT = 2
"""The position of the buffer `out`; `a` and `index` come before it."""


def floats(values: Sequence[float]) -> bytes:
    return encode(ScalarType.FLOAT, list(values))


def integers(values: Sequence[int]) -> bytes:
    return encode(ScalarType.I32, list(values))


def make_draft(
    *accesses: BufferAccess, problems: tuple[str, ...] = (), is_informative: bool = True
) -> CaseDraft:
    memory = replace(BASE.trial.memory, sizes=(SIZE,) * 3)
    trial = replace(BASE.trial, memory=memory)
    execution = replace(
        BASE.execution,
        accesses=accesses or (READ, READ, WRITTEN),
        buffers=(*trial.generate_contents()[:OUT], floats(GOLD)),
    )
    result = replace(
        BASE,
        trial=trial,
        execution=execution,
        problems=problems,
        is_informative=is_informative,
    )
    return CaseDraft(name="ordinary", kind=CaseKind.ORDINARY, result=result)


def run_with(
    values: Sequence[float] = GOLD, index: Sequence[int] = (0, 1, 2, 3)
) -> Execution:
    return Execution(
        outcome=Outcome.DONE,
        buffers=(bytes(SIZE), integers(index), floats(values)),
    )


def fail_with(kind: str, outcome: Outcome = Outcome.FAULT) -> Execution:
    finding = Finding(kind=kind, count=1, block=(0, 0, 0), thread=(0, 0, 0))
    return Execution(outcome=outcome, findings=(finding,), buffers=run_with().buffers)


def judge(
    draft: CaseDraft | None = None,
    *,
    blobs: Blobs | None = None,
    subject: Any = SUBJECT,
    **runs: Any,
) -> GoldenCase:
    variants = Variants(**{"golden": run_with(), **runs})
    return derive_golden_case(
        subject, draft or make_draft(), variants, blobs or Blobs()
    )
