"""Render the short form of a prompt: what is asked in words, and the code to start with.

It is derived from the long form by the rules that `docs/dataset.md` publishes: sentences stay,
evidence, definitions, examples and what the launcher passes go, parameters become one sentence
each way their data goes, and the code comes last.
"""

from __future__ import annotations

from collections.abc import Iterator

from crawler.dataset.prompts.complete_text import (
    format_computation,
    format_launch,
    format_operators,
    format_title,
    list_requirements,
    to_comment_line,
)
from crawler.dataset.prompts.kernel_task import Direction, KernelTask


def render_instruct(task: KernelTask) -> str:
    """Return the request, and the given code with the signature in a fence."""
    code = f"{task.context}{task.signature}"
    fence = _find_fence(code)
    return (
        f"{render_request(task)}\nYou should write self-contained code starting with:\n"
        f"{fence}cpp\n{code}\n{fence}"
    )


def render_request(task: KernelTask) -> str:
    """Return the request alone, for forms that give the code in files of their own."""
    sentences = (to_comment_line(sentence) for sentence in _list_sentences(task))
    return " ".join(sentence for sentence in sentences if sentence)


def _list_sentences(task: KernelTask) -> Iterator[str]:
    yield format_title(task)
    yield format_computation(task)
    yield format_operators(task)

    for direction in Direction:
        declarations = [
            f"`{parameter.declaration}`"
            for parameter in task.parameters
            if parameter.direction is direction
        ]
        if declarations:
            yield f"Passed as {direction.value}: {', '.join(declarations)}."

    yield from map(format_launch, task.launches)
    yield from list_requirements(task)


def _find_fence(code: str) -> str:
    """Return a fence that the code cannot close."""
    fence = "```"
    while fence in code:
        fence += "`"
    return fence
