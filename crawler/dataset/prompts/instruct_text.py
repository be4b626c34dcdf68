"""Render the short form of a prompt: what is asked in words, and the code to start with.

It is derived from the long form by the rules that `docs/dataset.md` publishes: sentences stay,
evidence, long definitions, statements, examples and what the launcher passes go, parameters become
one sentence each way their data goes, and the code comes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.dataset.prompts.complete_text import (
    format_computation,
    format_definition,
    format_documentation,
    format_launch,
    format_operators,
    format_title,
    list_requirements,
    to_comment_line,
)
from crawler.dataset.prompts.kernel_task import Direction, KernelTask

_MAX_DEFINITION_CHARACTERS: Final = 160


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
    yield from map(format_documentation, task.documentation)

    for direction in Direction:
        declarations = [
            f"`{parameter.declaration}`"
            for parameter in task.parameters
            if parameter.direction is direction
        ]
        if declarations:
            yield f"Passed as {direction.value}: {', '.join(declarations)}."

    for launch in task.launches:
        yield format_launch(launch)
        for definition in launch.definitions:
            # a number or a short function that grid or block is made of
            if len(definition) <= _MAX_DEFINITION_CHARACTERS:
                yield f"{format_definition(definition)}."

    yield from list_requirements(task)


def _find_fence(code: str) -> str:
    """Return a fence that the code cannot close."""
    fence = "```"
    while fence in code:
        fence += "`"
    return fence
