"""Choose what a project says of a kernel that prompts tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.dataset.prompts.kernel_task import Subject, TaskDocumentation
from crawler.dataset.prompts.step_comments import describe_steps
from crawler.model import CommentRole, Kernel, Operator, OperatorRole

_GRADIENT_METHODS: Final = (".backward", ".vjp")
"""How the names of methods end that compute a gradient: `RoIAlignFunction.backward`."""
_MAX_DOCUMENTATIONS: Final = 3
"""Comments and docstrings of a project in one prompt."""


def list_documentation(kernel: Kernel) -> list[TaskDocumentation]:
    """Return what a project says of a kernel and what leads to it, each text once.

    Its own comment comes first, without one those within it, then what users read: docstrings
    before launchers' comments, and that of the file at last.
    """
    documentation = [
        *(
            list(_list_comments(kernel, CommentRole.KERNEL, Subject.KERNEL))
            or _list_steps(kernel)
        ),
        *(
            TaskDocumentation(
                name=operator.documented_name,
                text=operator.documentation,
                subject=Subject.GRADIENT
                if _is_gradient(operator)
                else Subject.OPERATOR,
            )
            for operator in kernel.operators
            if operator.documentation
        ),
        *_list_comments(kernel, CommentRole.LAUNCHER, Subject.LAUNCHER),
        *_list_comments(kernel, CommentRole.DISPATCHER, Subject.OPERATOR),
        *_list_comments(kernel, CommentRole.FILE, Subject.FILE),
    ]

    documentation_by_text: dict[str, TaskDocumentation] = {}
    for item in documentation:
        documentation_by_text.setdefault(item.text, item)

    return list(documentation_by_text.values())[:_MAX_DOCUMENTATIONS]


def _list_comments(
    kernel: Kernel, role: CommentRole, subject: Subject
) -> Iterator[TaskDocumentation]:
    for comment in kernel.comments:
        if comment.role is role:
            yield TaskDocumentation(
                name=comment.name, text=comment.text, subject=subject
            )


def _list_steps(kernel: Kernel) -> Iterator[TaskDocumentation]:
    text = describe_steps(kernel.source)
    if text:
        yield TaskDocumentation(
            name=kernel.qualified_name, text=text, subject=Subject.STEPS
        )


def _is_gradient(operator: Operator) -> bool:
    """Tell whether an operator leads to the kernel only to compute gradients."""
    callers = [part.name for part in operator.parts if part.role is OperatorRole.PYTHON]
    if callers and all(name.endswith(_GRADIENT_METHODS) for name in callers):
        return True

    # of a function of autograd in C++ that leads here by its backward alone
    names = [
        part.name for part in operator.parts if part.role is OperatorRole.DISPATCHER
    ]
    return any(name.endswith("::backward") for name in names) and not any(
        name.endswith("::forward") for name in names
    )
