"""Rows of the two views of prompts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crawler.dataset.interface import RowContext
from crawler.dataset.programs.harness_programs import build_programs_at_depth
from crawler.dataset.prompts.describe_task import describe_task
from crawler.dataset.prompts.kernel_task import KernelTask
from crawler.dataset.prompts.model_description import (
    ModelDescription,
    find_description,
)
from crawler.dataset.prompts.solution import choose_solution, split_unit
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.dataset.rows.row import digest_place
from crawler.dataset.rows.unit_statuses import (
    Execution,
    list_build_statuses,
    list_executions,
)
from crawler.model import Dialect, KernelRecord, KernelUnit, Repo
from crawler.validate.harness.program import Harness

_ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRow:
    """A task in words and code, its solution, and how far that solution was verified."""

    schema: str
    """Name and version of this form: `kernelset.complete/1` or `kernelset.instruct/1`."""
    task_id: str
    """The same in both forms: the first 16 characters of `place.kernel`, a slash, the kernel's
    name.
    """
    place: PlaceRow
    """Where the kernel stands that the solution comes from."""
    prompt: str
    """What a model is given: made by rules; it holds no output of a case and no test."""
    language: str
    """What the prompt asks for: `HIP`, or `CUDA` where there is no port."""
    entry_point: str
    """Qualified name of the kernel that tests launch."""
    signature: str
    """The kernel's head, verbatim, as it ends the prompt's code."""
    canonical_solution: str
    """What follows the signature in the unit: the body and explicit instantiations."""
    context: str
    """What precedes the signature in it; `context`, `signature` and `canonical_solution` one after
    the other are the unit.
    """
    unit: str
    """Digest of that unit."""
    origin: str
    """Who wrote the solution: `project` as it stands there, or `rules` that ported it."""
    pass_call: dict[str, str]
    """Target to the best status of that unit's own builds."""
    executions: tuple[Execution, ...]
    """What was run of that unit itself; of a port none where only its CUDA unit was run."""
    tests: tuple[Harness, ...]
    """At the depth `full`, where the kernel came through its cases: a program that holds the
    solution and prints `All tests passed!`. It has golden outputs: keep it from models.
    """
    tags: tuple[str, ...]
    """`uses:atomics`, `class:reduction`, `trivial`, …"""
    model_description: ModelDescription | None
    """That unit in words that a model wrote; nothing of it is in another field."""


def make_task_id(record: KernelRecord) -> str:
    """Return what every view of tasks calls the task of a kernel at its place."""
    span = record.kernel.span
    repo = record.provenance.repo
    return name_task(repo, span.path, span.offset, record.kernel.name)


def name_task(repo: Repo, path: str, offset: int, kernel_name: str) -> str:
    """Return the same from what an index has of the kernel."""
    place = digest_place(repo, path, offset)
    return f"{place[:_ID_CHARACTERS]}/{kernel_name}"


def make_prompt_row(
    record: KernelRecord,
    context: RowContext,
    schema_name: str,
    render: Callable[[KernelTask], str],
) -> PromptRow | None:
    """Return the row of a record with its prompt as `render` writes it; `None` without a
    solution, or where its text does not show the kernel, or shows one that does nothing.
    """
    unit = choose_solution(record)
    parts = split_unit(unit) if unit else None
    if unit is None or parts is None or not parts.has_body:
        return None

    place = to_place_row(record)
    task_id = make_task_id(record)
    return PromptRow(
        schema=schema_name,
        task_id=task_id,
        place=place,
        prompt=render(describe_task(record, unit, parts)),
        language=unit.dialect.value.upper(),
        entry_point=unit.kernel_name,
        signature=parts.signature,
        canonical_solution=parts.solution,
        context=parts.context,
        unit=unit.digest,
        origin="rules" if unit.ported_from else "project",
        pass_call=list_build_statuses(record, unit.digest),
        executions=list_executions(record, unit.digest),
        tests=_list_tests(record, unit, context),
        tags=record.kernel.tags,
        model_description=find_description(context.list_attempts(task_id), unit.digest),
    )


def _list_tests(
    record: KernelRecord, unit: KernelUnit, context: RowContext
) -> tuple[Harness, ...]:
    """Return the tests that are of the unit's dialect."""
    suffix = ".hip" if unit.dialect is Dialect.HIP else ".cu"
    tests = build_programs_at_depth(record, context.depth, context.read_content)
    return tuple(test for test in tests if test.suffix == suffix)
