"""Facts observed in one translation unit: kernels, launches, bindings and closures."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.model.compile_commands import CompileCommand
from crawler.model.dependencies import Dependency
from crawler.model.dialect import Dialect
from crawler.model.source_elements import (
    Diagnostic,
    GlobalVariable,
    Instantiation,
    Launch,
    Layer,
    Parameter,
    Span,
    TemplateParameter,
    TextReplacement,
)
from crawler.model.unit import Rung


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What a kernel needs, as ordered pieces of text; `link` turns one into a unit."""

    includes: tuple[str, ...]
    """Standard and library headers only, with their brackets: `<cub/cub.cuh>`."""
    libraries: tuple[tuple[str, str], ...] = ()
    """(header library, version) of those that it includes; the version `shim` is our own."""
    fragments: tuple[str, ...]
    """Complete declarations in order, each inside its own namespaces; the kernel is the last."""
    dependencies: tuple[str, ...] = ()
    """Qualified names of what was taken along, macros with a leading `#`."""
    origins: tuple[Span | None, ...] = ()
    """Where each fragment stands in its project; None for what a compile command defines."""
    state: tuple[GlobalVariable, ...] = ()
    """The variables among the fragments that outlive a launch."""
    owner_parameters: int = 0
    """How many of the kernel's template parameters are those of the class that it is a member
    of.
    """
    complete: bool = True
    """False when a name that the kernel needs was seen but could not be taken along."""
    problems: tuple[str, ...] = ()
    """Stable slugs with a detail: `unresolved:name`, `parse-error:message`."""
    rung: Rung = Rung.MINIMAL
    attempts: tuple[str, ...] = ()
    """What was tried and does not compile: the rung and the first error of each."""
    assumed: tuple[str, ...] = ()
    """Declarations in front of the others, of types that a missing header would have declared."""
    making: tuple[TextReplacement, ...] = ()
    """What stands in place of which fragments where also what makes the kernel's structures is
    held, in order.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFacts:
    """A kernel definition as one translation unit showed it."""

    span: Span
    name: str
    qualified_name: str
    dialect: Dialect
    found_by: Layer
    reason: str = ""
    """Why not the AST; of the AST what it was `seen with` beyond its command, if anything."""
    mangled: str = ""
    source: str = ""
    """Verbatim text of the definition, template head included."""
    template_head: str = ""
    parameters: tuple[Parameter, ...] = ()
    template_parameters: tuple[TemplateParameter, ...] = ()
    attributes: tuple[str, ...] = ()
    """As written: `__launch_bounds__(256, 2)`, `extern "C"`, `static`."""
    instantiations: tuple[Instantiation, ...] = ()
    closure: Closure | None = None
    complete_closure: Closure | None = None
    """What that was before functions were left out that none of `instantiations` chooses; `None`
    where none were.
    """
    problem: str = ""
    """Why there is no closure, where more is known than `reason` says: a stable slug with a
    detail.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFacts:
    """A launch as one translation unit showed it, and the definition it resolves to, where it
    does.
    """

    launch: Launch
    target_path: str = ""
    """Path of the kernel's definition; empty when this unit does not see it (then joined by
    name).
    """
    target_offset: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A name under which Python code reaches C++ code."""

    name: str
    function: str
    span: Span
    kind: str
    """`pybind11` or `torch_library`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """What one translation unit showed; the value that `extract` stores and `link` merges."""

    command: CompileCommand
    kernels: tuple[KernelFacts, ...] = ()
    launches: tuple[LaunchFacts, ...] = ()
    bindings: tuple[Binding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = ()
    """The project's files that this unit read, the source first."""
    whole_text: str = ""
    """The unit as a text that compiles alone: the project's files flattened, host bodies gone.
    Empty where it is too long, and once it is stored.
    """
    whole: str = ""
    """Digest of that text in the blob store."""
    dependencies: tuple[Dependency, ...] = ()
    """Repositories that its project declares: those of which it read files, and those that could
    not be had.
    """
    failure: str = ""
    """Stable slug when the AST could not be had: `parse-timeout`, `parse-crashed`,
    `parse-memory`, …
    """
