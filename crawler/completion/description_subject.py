"""Find what a model is asked to describe, and tell what speaks against its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.completion.purpose import Subject
from crawler.dataset.prompts.describe_task import describe_task
from crawler.dataset.prompts.instruct_text import render_request
from crawler.dataset.prompts.model_description import parse_description
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.dataset.prompts.solution import choose_solution, split_unit
from crawler.model import KernelRecord

_PROBLEM: Final = "no description"
_MAX_INSTRUCTION: Final = 800
"""Characters."""
_MAX_DESCRIPTION: Final = 8000
_MIN_QUOTED: Final = 24
"""Characters of a line of code that nobody writes by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionSubject(Subject):
    """A unit that prompts ask for."""

    facts: str
    """What rules know of it, as the view `instruct` tells it."""
    solution: str
    """The part of the unit that no description may quote."""


def find_descriptions(record: KernelRecord) -> Iterator[DescriptionSubject]:
    """Yield the unit of a kernel that the views of prompts ask for, where they do."""
    unit = choose_solution(record)
    parts = split_unit(unit) if unit else None
    if unit is None or parts is None:
        return

    yield DescriptionSubject(
        kernel=make_task_id(record),
        unit=unit,
        problem=_PROBLEM,
        facts=render_request(describe_task(record, unit, parts)),
        solution=parts.solution,
    )


def find_fault(answer: str, subject: DescriptionSubject) -> str:
    """Return what is wrong with the form of an answer, for the model to read; empty for nothing."""
    texts = parse_description(answer)
    if texts is None:
        return (
            "write the two headings `# Instruction` and `# Description`, each once, and a "
            "text under both"
        )
    if len(texts.instruction) > _MAX_INSTRUCTION:
        return f"the instruction is longer than {_MAX_INSTRUCTION} characters"
    if len(texts.description) > _MAX_DESCRIPTION:
        return f"the description is longer than {_MAX_DESCRIPTION} characters"

    name = subject.unit.kernel_name.rpartition("::")[2]
    if not re.search(rf"\b{re.escape(name)}\b", texts.instruction):
        return f"the instruction does not name the kernel `{name}`"

    written = " ".join(f"{texts.instruction}\n{texts.description}".split())
    for line in subject.solution.splitlines():
        code = " ".join(line.split())
        if len(code) >= _MIN_QUOTED and code in written:
            return f"it gives the solution away by quoting its code: `{code}`"
    if "```" in written or "~~~" in written:
        return "it has a block of code: say in words what the code does"
    return ""
