"""What is asked for in words, and what speaks against them without asking anybody."""

from __future__ import annotations

import pytest

from crawler.completion.description_subject import (
    DescriptionSubject,
    find_descriptions,
    find_fault,
)
from tests.plain import plain_unit
from tests.run_records import make_run_records

GOOD = """\
Here they are.

## **Instruction**

Write the kernel `k`, which halves numbers.

# Description:

Each thread halves one number.
"""
SUBJECT = DescriptionSubject(
    kernel="0/k",
    unit=plain_unit("__global__ void k() {}\n"),
    problem="no description",
    facts="",
    solution=" {\n  out[i]  = 0.5f * in[i] + 0.0f;\n}\n",
)


def test_prompts_units_are_asked_about() -> None:
    subjects = [
        description
        for record in make_run_records()
        for description in find_descriptions(record)
    ]
    assert subjects
    for subject in subjects:
        name = subject.unit.kernel_name
        assert name in subject.facts
        assert subject.unit.source.endswith(subject.solution)
        assert (subject.targets, subject.has_cases) == ((), False)


def test_both_texts_in_their_form_are_good() -> None:
    assert find_fault(GOOD, SUBJECT) == ""


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "each once"),
        (GOOD.replace("Description", "Details"), "each once"),
        (f"{GOOD}# Instruction\nWrite `k`.", "each once"),
        (GOOD.replace("Each thread halves one number.", " "), "each once"),
        (GOOD.replace("`k`", "it"), "does not name the kernel `k`"),
        (GOOD.replace("numbers", "numbers " * 200), "longer than 800"),
        (f"{GOOD}{'a' * 8001}", "longer than 8000"),
        (f"{GOOD}So `out[i] = 0.5f * in[i] + 0.0f;` it is.", "quoting its code"),
        (f"{GOOD}```\nout = in / 2\n```", "block of code"),
    ],
)
def test_what_is_not_of_the_form_is_told(answer: str, fault: str) -> None:
    assert fault in find_fault(answer, SUBJECT)
