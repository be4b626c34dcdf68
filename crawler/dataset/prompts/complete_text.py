"""Render the long form of a prompt: code to be gone on with, in which a comment says what is asked.

The rules are published in `docs/dataset.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.dataset.prompts.instantiation_groups import describe_groups
from crawler.dataset.prompts.kernel_task import (
    KernelTask,
    Subject,
    TaskDocumentation,
    TaskLaunch,
    TaskParameter,
)

_WAVE_REQUIREMENTS: Final = {
    "any": "Do not rely on the width of a wave.",
    "logical-32": "Keep operations between lanes to groups of 32, on waves of 64, too.",
    "native": "Take the width of a wave from warpSize.",
    "wave32": "Waves may be taken to have 32 lanes.",
}


def render_complete(task: KernelTask) -> str:
    """Return the context, the comment, and the kernel's signature, which the solution follows."""
    lines = [f"// {to_comment_line(line)}".rstrip() for line in _list_lines(task)]
    comment = "\n".join(lines)
    return f"{task.context}{comment}\n{task.signature}"


def list_requirements(task: KernelTask) -> Iterator[str]:
    """Yield what a solution has to keep to; both forms have all of it."""
    yield "Keep the name, the parameters and their order as the signature has them."
    if task.instantiations:
        arguments = describe_groups(task.instantiations, task.template_parameters)
        yield f"Behind the kernel, instantiate it explicitly for {arguments}."
    for variable in task.state:
        yield f"Keep this variable on the device, which outlives a launch: {variable}."
    if task.wave in _WAVE_REQUIREMENTS:
        yield _WAVE_REQUIREMENTS[task.wave]
    yield "Read and write no element outside of the buffers."


def format_title(task: KernelTask) -> str:
    """Return what is asked, in a sentence."""
    return f"Write the {task.language} kernel `{task.entry_point}`."


def format_computation(task: KernelTask) -> str:
    """Return what it computes, as far as that is known, in a sentence."""
    if not task.computation:
        return ""
    article = "an" if task.computation[0] in "aeiou" else "a"
    return f"It seems to be {article} {task.computation} kernel."


def format_operators(task: KernelTask) -> str:
    """Return the names under which Python code reaches it, in a sentence."""
    if not task.operators:
        return ""
    names = ", ".join(f"`{name}`" for name in task.operators)
    return f"Python code reaches its launcher as {names}."


def format_documentation(documentation: TaskDocumentation) -> str:
    """Return what the project says of the kernel and what leads to it, behind words of ours."""
    subject = f"`{documentation.name}`, {documentation.subject}"
    if documentation.subject is Subject.KERNEL:
        subject = "it"
    elif documentation.subject is Subject.STEPS:
        subject = documentation.subject.value
    text = documentation.text.rstrip(". ")
    return f"The project says of {subject}: {text}."


def format_launch(launch: TaskLaunch) -> str:
    """Return how the project launches it, in a sentence."""
    launcher = (
        f"`{launch.launcher}` launches it" if launch.launcher else "It is launched"
    )
    kernel = f" as `{launch.kernel}`" if launch.kernel else ""
    return (
        f"{launcher}{kernel} with grid `{launch.grid}`, block `{launch.block}` and "
        f"`{launch.shared_bytes}` bytes of dynamic shared memory{_format_conditions(launch)}"
        f"{_format_variables(launch)}."
    )


def format_definition(definition: str) -> str:
    """Return what a name in a launch stands for, in words."""
    return f"Where `{definition.removesuffix(';')}`"


def to_comment_line(text: str) -> str:
    """Return a text of strangers as a line comment holds it: nothing in it ends the comment, and
    none of its characters joins the next line to it.
    """
    printable = "".join(
        character if character.isprintable() else " " for character in text
    )
    return printable.rstrip("\\ ")


def _format_conditions(launch: TaskLaunch) -> str:
    if not launch.conditions:
        return ""
    conditions = " and ".join(f"`{condition}`" for condition in launch.conditions)
    return f", under {conditions}"


def _format_variables(launch: TaskLaunch) -> str:
    if not launch.variables:
        return ""
    return f", where {', '.join(f'`{variable}`' for variable in launch.variables)}"


def _list_lines(task: KernelTask) -> Iterator[str]:
    yield format_title(task)
    computation = format_computation(task)
    if computation:
        yield computation
        yield from (f"  seen from {reason}" for reason in task.evidence)
    operators = format_operators(task)
    if operators:
        yield operators
    yield from map(format_documentation, task.documentation)

    if task.parameters:
        yield "Parameters:"
        for parameter in task.parameters:
            yield from _list_parameter_lines(parameter)

    for launch in task.launches:
        yield format_launch(launch)
        if launch.statements:
            yield "  behind"
        yield from (f"    {statement}" for statement in launch.statements)
        yield from (f"  {format_definition(text)}" for text in launch.definitions)

    if task.example:
        yield f"Example: {task.example}."

    yield "Requirements:"
    yield from (f"  - {requirement}" for requirement in list_requirements(task))


def _list_parameter_lines(parameter: TaskParameter) -> Iterator[str]:
    source = ", as it ran" if parameter.is_traced else ""
    yield f"  {parameter.declaration}: {parameter.direction.value}{source}"
    if parameter.launched_as:
        yield f"    the launcher passes `{parameter.launched_as}`"
    if parameter.example:
        yield f"    in the example: {parameter.example}"
