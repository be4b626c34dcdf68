"""Which words of a project a prompt tells, in which order, and what they are about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crawler.dataset.prompts.complete_text import format_documentation
from crawler.dataset.prompts.kernel_task import Subject, TaskDocumentation
from crawler.dataset.prompts.task_documentation import list_documentation
from crawler.model import (
    CommentRole,
    FunctionComment,
    Operator,
    OperatorPart,
    OperatorRole,
)
from tests.plain import HERE, plain_kernel, plain_unit


def describe(**facts: Any) -> tuple[TaskDocumentation, ...]:
    """Return what prompts quote of a kernel with these facts."""
    kernel = plain_kernel(plain_unit("__global__ void k(float *p, int n) {}"))
    return tuple(list_documentation(replace(kernel, **facts)))


def test_what_a_project_says_of_its_operators_is_told_once() -> None:
    add, gradient = (
        Operator(
            name=name,
            documented_name="Add",
            documentation=text,
            parts=(
                OperatorPart(
                    role=OperatorRole.PYTHON, name=f"AddF.{method}", span=HERE
                ),
            ),
        )
        for name, method, text in (
            ("add", "forward", "Adds two."),
            ("add_back", "backward", "Adds much."),
        )
    )
    documentation = describe(operators=(Operator(name="x"), add, add, gradient))
    assert documentation == (
        TaskDocumentation(name="Add", text="Adds two.", subject=Subject.OPERATOR),
        TaskDocumentation(name="Add", text="Adds much.", subject=Subject.GRADIENT),
    )


def test_a_comment_on_the_kernel_comes_before_docstrings_and_these_before_launchers() -> (
    None
):
    comments = tuple(
        FunctionComment(role=role, name=name, text=f"What {name} is for.")
        for role, name in (
            (CommentRole.KERNEL, "k"),
            (CommentRole.LAUNCHER, "launch"),
            (CommentRole.DISPATCHER, "dispatch"),
            (CommentRole.FILE, "k.cu"),
        )
    )
    operator = Operator(
        name="add", parts=(), documented_name="Add", documentation="Adds two."
    )
    documentation = describe(comments=comments, operators=(operator,))

    assert [item.subject for item in documentation] == [
        Subject.KERNEL,
        Subject.OPERATOR,
        Subject.LAUNCHER,
    ]
    assert [item.text for item in documentation] == [
        "What k is for.",
        "Adds two.",
        "What launch is for.",
    ]


def test_a_kernel_without_a_comment_has_that_of_its_file() -> None:
    comment = FunctionComment(
        role=CommentRole.FILE, name="rows/k.cu", text="Sums of rows, in two passes."
    )
    (said,) = describe(comments=(comment,))

    assert format_documentation(said) == (
        "The project says of `rows/k.cu`, the file that it stands in: "
        "Sums of rows, in two passes."
    )


def test_an_operator_that_comes_here_by_a_backward_in_cpp_alone_is_a_gradient() -> None:
    def read_subject(*names: str) -> Subject:
        parts = tuple(
            OperatorPart(role=OperatorRole.DISPATCHER, name=name, span=HERE)
            for name in names
        )
        operator = Operator(
            name="sum", documented_name="sum", documentation="Adds.", parts=parts
        )
        ((said),) = describe(operators=(operator,))
        return said.subject

    assert read_subject("sum", "Sum::backward", "gather") is Subject.GRADIENT
    assert read_subject("sum", "Sum::forward", "add") is Subject.OPERATOR
    assert read_subject("Sum::backward", "Sum::forward") is Subject.OPERATOR


def test_a_kernel_without_a_comment_has_those_within_it() -> None:
    source = "__global__ void k() {\n  // add what the rows have\n  f();\n}"
    (said,) = describe(source=source)
    assert format_documentation(said) == (
        "The project says of its steps: add what the rows have."
    )

    comment = FunctionComment(role=CommentRole.KERNEL, name="k", text="Sums of rows.")
    (said,) = describe(source=source, comments=(comment,))
    assert said.subject is Subject.KERNEL
