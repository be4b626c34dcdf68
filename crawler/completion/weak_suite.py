"""Find kernels whose cases leave something untold, for which a model may write a better one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from crawler.codec import decode
from crawler.completion.purpose import Subject
from crawler.completion.written_case import (
    Number,
    list_numbers,
    list_scalars,
    spell_number,
)
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.model import Case, CaseKind, KernelRecord, Run, Status, Strength, Suite
from crawler.validate.bundle.manifest import golden_digests, input_digests
from crawler.validate.cpu.result import CPU_DEVICE
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.scalar_types import decode as decode_numbers

_JUDGED: Final = (Status.PASS, Status.CONSISTENT, Status.CONDITIONAL)
_MAX_CHANGES: Final = 12
_SHOWN_NUMBERS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakSuite(Subject):
    """A kernel with cases that pass some changes of it, or leave some of its branches alone."""

    suite: Suite
    suite_digest: str
    base: Case
    """The case that the model is shown, which others are changes of."""
    blobs: Blobs
    """What all cases of the suite hold."""
    scalars: Mapping[str, str]
    """Name of an argument that is a number to its type."""
    cases: int
    """That exports show."""


def find_weak_suites(
    record: KernelRecord, read_content: ContentReader
) -> Iterator[WeakSuite]:
    """Yield the kernel's own unit where it came through cases that are not as strong as may be."""
    unit = record.kernel.unit
    if unit is None:
        return

    run = next((run for run in record.runs if _is_weak(run, unit.digest)), None)
    if run is None:
        return

    suite = decode(read_content(run.suite), Suite)
    shown = [case for case in suite.cases if not case.hidden]
    if not shown:
        return

    digests = {*input_digests(suite), *golden_digests(suite)}
    blobs = Blobs({digest: read_content(digest) for digest in digests})
    base = next((case for case in shown if case.kind is CaseKind.ORDINARY), shown[0])
    types = {parameter.name: parameter.type for parameter in record.kernel.parameters}
    yield WeakSuite(
        kernel=make_task_id(record),
        unit=unit,
        problem=_describe_weakness(run.strength),
        suite=suite,
        suite_digest=run.suite,
        base=base,
        blobs=blobs,
        scalars=list_scalars(base, types),
        cases=len(shown),
    )


def describe_case(subject: WeakSuite) -> str:
    """Return the case that the model is shown as the JSON that it is to answer with.

    Of each buffer only the first numbers are there.
    """
    base = subject.base
    numbers = list_numbers(base, subject.scalars)
    buffers: dict[str, Any] = {}
    for buffer in base.buffers:
        buffers[buffer.name] = {"count": buffer.size // max(1, buffer.element_size)}
        values = _list_first_numbers(subject, buffer.name)
        if values:
            buffers[buffer.name]["values"] = values

    case = {
        "grid": base.grid,
        "block": base.block,
        "arguments": numbers,
        "buffers": buffers,
    }
    return json.dumps(case, indent=1)


def _list_first_numbers(subject: WeakSuite, name: str) -> list[Number]:
    buffer = next(each for each in subject.base.buffers if each.name == name)
    if not buffer.content or buffer.pointers:
        return []
    scalar = parse_element_type(buffer.element, buffer.element_size).scalar
    content = subject.blobs.get(buffer.content)[: _SHOWN_NUMBERS * scalar.size]
    return [spell_number(number) for number in decode_numbers(scalar, content)]


def _is_weak(run: Run, unit: str) -> bool:
    is_judged = run.device == CPU_DEVICE and run.pass_exe.status in _JUDGED
    has_gaps = bool(run.strength.survivors or run.strength.unreached)
    return is_judged and has_gaps and run.unit == unit and bool(run.suite)


def _describe_weakness(strength: Strength) -> str:
    lines = [
        f"line {survivor.line}: `{survivor.before}` changed to `{survivor.after}`"
        for survivor in strength.survivors[:_MAX_CHANGES]
    ]
    if strength.unreached:
        numbers = ", ".join(str(line) for line in strength.unreached[:_MAX_CHANGES])
        lines.append(f"no case takes a branch of lines {numbers}")
    return "\n".join(lines)
