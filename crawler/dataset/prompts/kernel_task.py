"""What a prompt tells of a kernel; both forms of a prompt are made of this and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.dataset.prompts.instantiation_groups import InstantiationGroup


class Direction(StrEnum):
    """Which way a parameter's data goes."""

    VALUE = "value"
    IN = "input"
    OUT = "output"
    INOUT = "input and output"
    UNKNOWN = "input or output"
    """Not `const`, no case was traced, and the text leaves it open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskParameter:
    """A parameter of the kernel."""

    name: str
    """Empty for one without a name."""
    declaration: str
    """As the signature has it: `const float *src`."""
    direction: Direction
    """Which way its data goes."""
    is_traced: bool
    """Whether the direction was seen when the kernel ran, not read off its type or its text."""
    launched_as: str
    """What the launcher passes, as written; empty where nobody knows."""
    example: str
    """Its size or value in the example; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLaunch:
    """How the project launches the kernel; all as written there."""

    launcher: str
    """Qualified name of the function that launches; empty where it is not known."""
    kernel: str
    """The kernel with its template arguments, `scale<T, 4>`; empty without any."""
    conditions: tuple[str, ...]
    """Conditions under which it is reached, the outermost first: expressions, heads of loops."""
    grid: str
    """Blocks."""
    block: str
    """Threads of a block."""
    shared_bytes: str
    """Bytes of dynamic shared memory of a block."""
    variables: tuple[str, ...]
    """The short statements that give the local variables among all of these their values."""
    statements: tuple[str, ...]
    """The lines that compute grid, block and arguments, without those that an earlier launch of
    the same task has.
    """
    definitions: tuple[str, ...]
    """The macros, constants and functions that grid, block and statements name, a line each."""


class Subject(StrEnum):
    """What the words of a project are about."""

    KERNEL = "the kernel itself"
    STEPS = "its steps"
    """What comments within the kernel say."""
    LAUNCHER = "which launches it"
    OPERATOR = "which leads to it"
    GRADIENT = "of whose gradient it is a part"
    """The text is about the function, while the kernel computes a part of its gradient."""
    FILE = "the file that it stands in"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDocumentation:
    """What the project says of the kernel, or of a function or class that leads to it."""

    name: str
    """Of the kernel, the function or the class, qualified."""
    text: str
    """The beginning of its comment or its docstring."""
    subject: Subject
    """What the text is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTask:
    """Everything that a prompt may tell: no output of a case is among it."""

    language: str
    """`HIP` or `CUDA`."""
    entry_point: str
    """Qualified name of the kernel."""
    context: str
    """The code that is given: includes, types, constants, device functions."""
    signature: str
    """The kernel's head, verbatim."""
    computation: str
    """Class of computation; empty where nothing tells it."""
    evidence: tuple[str, ...]
    """What speaks for the class."""
    operators: tuple[str, ...]
    """Names under which Python code reaches the kernel."""
    documentation: tuple[TaskDocumentation, ...]
    """What the project's comments and docstrings say of the kernel and of what leads to it."""
    parameters: tuple[TaskParameter, ...]
    """In their order."""
    launches: tuple[TaskLaunch, ...]
    """The launch sites of the project, each way of launching once."""
    example: str
    """Grid and block of a launch that ran cleanly; empty without one."""
    instantiations: tuple[InstantiationGroup, ...]
    """Template arguments that have to be instantiated explicitly."""
    template_parameters: tuple[str, ...]
    """Names of the template parameters, in their order; empty for one without a name."""
    state: tuple[str, ...]
    """Variables on the device that outlive a launch: `weights (constant, float[16])`."""
    wave: str
    """What a port expects of the width of a wave; empty for no port."""
