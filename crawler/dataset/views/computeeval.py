"""View `computeeval`: a problem in the form of NVIDIA's ComputeEval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.programs.split_test import (
    CONTEXT_FILE,
    PROGRAM,
    SOLUTION_FILE,
    TEST_FILE,
    SplitTest,
    build_split_test,
)
from crawler.dataset.prompts.describe_task import describe_task
from crawler.dataset.prompts.instruct_text import render_request
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.model import KernelRecord

_SCHEMA_NAME: Final = "kernelset.computeeval/1"
_PROBLEM_VERSION: Final = 2
_SOLUTION_VERSION: Final = 1
_TIMEOUT_SECONDS: Final = 60.0
_MINIMUM_TOOLKIT: Final = "12.0"
"""The first with the headers that a test includes: `cuda_fp8.h` among them."""
_DATE_CHARACTERS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a problem or of a solution."""

    path: str
    """Relative to the folder in which the problem is solved."""
    content: str
    """Its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemMetadata:
    """What a problem is sorted by."""

    tags: tuple[str, ...]
    """`uses:atomics`, `class:reduction`, `trivial`, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSolution:
    """The project's own kernel, as a solution of the problem."""

    schema_version: int
    """Of ComputeEval's form of a solution: 1."""
    type: str
    """`file`: it has whole files."""
    task_id: str
    """Of the problem."""
    files: tuple[SourceFile, ...]
    """`solution.cu`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeEvalRow:
    """A CUDA kernel to be written, with files that are given and a test that is held out."""

    schema: str
    """Name and version of this form: `kernelset.computeeval/1`."""
    type: str
    """`cuda_cpp`."""
    schema_version: int
    """Of ComputeEval's form of a problem: 2."""
    task_id: str
    """The first 16 characters of `place.kernel`, a slash, the kernel's name."""
    date: str
    """Of the last push to the repository, as its host says; empty where none does."""
    prompt: str
    """The request of the view `instruct`, and what the solution's file has to be."""
    metadata: ProblemMetadata
    """What it is sorted by."""
    group: str
    """`cuda-kernels`."""
    context_files: tuple[SourceFile, ...]
    """What is given: the types, constants and device functions that the kernel may use."""
    test_files: tuple[SourceFile, ...]
    """What is held out: a program with cases and golden outputs, which ends with 0 where the
    solution passes.
    """
    build_command: str
    """For a GPU of NVIDIA's."""
    test_command: str
    """Runs what was built."""
    cpu_build_command: str
    """Builds the same for a CPU; `include` then holds `crawler/headers` of a checkout, too."""
    min_cuda_toolkit: str
    """The oldest toolkit that has all headers of the test."""
    compute_capability: str
    """The least that the build command asks for."""
    timeout_seconds: float
    """For the test."""
    baseline_solution: BaselineSolution
    """The project's own kernel, which passes on a CPU."""
    place: PlaceRow
    """Where the kernel stands."""


class ComputeEval:
    """One row for each CUDA kernel that came through its cases."""

    name = "computeeval"
    summary = "task, context, held-out test and commands, as ComputeEval has them"
    order = 73
    row_type = ComputeEvalRow
    schema_name = _SCHEMA_NAME

    def make_rows(
        self, record: KernelRecord, context: RowContext
    ) -> Iterator[ComputeEvalRow]:
        """Yield the row of a record, at every depth with its test; none without one."""
        split = build_split_test(record, context.read_content)
        if split is None:
            return

        place = to_place_row(record)
        task_id = make_task_id(record)
        yield ComputeEvalRow(
            schema=_SCHEMA_NAME,
            type="cuda_cpp",
            schema_version=_PROBLEM_VERSION,
            task_id=task_id,
            date=record.provenance.repo.pushed_at[:_DATE_CHARACTERS],
            prompt=_render_prompt(record, split),
            metadata=ProblemMetadata(tags=record.kernel.tags),
            group="cuda-kernels",
            context_files=(SourceFile(path=CONTEXT_FILE, content=split.context),),
            test_files=(SourceFile(path=TEST_FILE, content=split.test),),
            build_command=split.build_command,
            test_command=f"./{PROGRAM}",
            cpu_build_command=split.cpu_build_command,
            min_cuda_toolkit=_MINIMUM_TOOLKIT,
            compute_capability="8.0",
            timeout_seconds=_TIMEOUT_SECONDS,
            baseline_solution=BaselineSolution(
                schema_version=_SOLUTION_VERSION,
                type="file",
                task_id=task_id,
                files=(SourceFile(path=SOLUTION_FILE, content=split.solution),),
            ),
            place=place,
        )


def _render_prompt(record: KernelRecord, split: SplitTest) -> str:
    task = describe_task(record, split.unit, split.parts)
    return (
        f"{render_request(task)}\n\n"
        f"Write it into `{SOLUTION_FILE}`, which begins with "
        '`#include "kernel_context.h"`. That header has the types, constants and device '
        f"functions that are given; it is `{CONTEXT_FILE}`. The kernel's head is\n"
        f"```cuda\n{split.parts.signature}\n```\n"
    )


PLUGIN: Final[View] = ComputeEval()
