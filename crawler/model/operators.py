"""Operators: how a Python call reaches a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.model.source_elements import Span


class OperatorRole(StrEnum):
    """What a piece of code is to an operator, from Python inwards."""

    PYTHON = "python"
    BINDING = "binding"
    DISPATCHER = "dispatcher"
    LAUNCHER = "launcher"
    KERNEL = "kernel"
    CPU = "cpu"
    TWIN = "twin"
    """A kernel of the operator's gradient, or of the operator that this one is the gradient of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPart:
    """A piece of code that belongs to an operator."""

    role: OperatorRole
    """`python`, `binding`, `dispatcher`, `launcher`, `kernel`, `cpu` or `twin`."""
    name: str
    """Of the function, qualified."""
    span: Span
    """Where it stands."""
    evidence: str = ""
    """How it was reached: `calls`, `registered: CUDA`, `launch`, `bound: pybind11`, `twin: …`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCode:
    """Verbatim code round a kernel: what launches it, and the way there from Python."""

    role: OperatorRole
    """`python`, `binding`, `dispatcher`, `launcher`, `cpu` or `twin`."""
    name: str
    """Of the function, qualified."""
    span: Span
    """Where it stands."""
    source: str
    """Verbatim."""


class CommentRole(StrEnum):
    """What a comment stands in front of."""

    KERNEL = "kernel"
    LAUNCHER = "launcher"
    DISPATCHER = "dispatcher"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionComment:
    """What the comment of a kernel, of a function that launches it, or of its file says."""

    role: CommentRole
    """`kernel`, `launcher`, `dispatcher` or `file`."""
    name: str
    """Of the kernel or the function, qualified; the path of a file."""
    text: str
    """Its first sentences, in one line, without the marks of comments."""


class CompanionKind(StrEnum):
    """What a definition is that host code names, or that names it."""

    MACRO = "macro"
    CONSTANT = "constant"
    ENUMERATION = "enumeration"
    FUNCTION = "function"
    """One that host code calls, a member function of its classes among them."""
    CLASS = "class"
    CALLER = "caller"
    """A function that calls host code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCompanion:
    """A definition that a kernel's host code rests on, directly or by way of another one."""

    kind: CompanionKind
    """`macro`, `constant`, `enumeration`, `function`, `class` or `caller`."""
    name: str
    """Qualified; of a declaration of several constants, or an enumeration without a name, the
    first name.
    """
    span: Span
    """Where it stands."""
    source: str
    """Verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """What Python code calls by one name, and the way from there to a kernel."""

    name: str
    """As it is bound: `roi_align_forward`."""
    twin: str = ""
    """Name of the operator that is its gradient, or whose gradient it is."""
    documented_name: str = ""
    """Name of the documented Python function or class that leads to it: `segment_coo`."""
    documentation: str = ""
    """The beginning of that one's docstring: what comes before parameters and examples."""
    parts: tuple[OperatorPart, ...] = ()
    """The way to the kernel, from Python inwards, and what stands beside it."""
