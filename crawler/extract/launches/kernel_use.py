"""A use of a kernel in a translation unit, and what the unit's text says of launches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from crawler.extract.syntax.launch_wrappers import LaunchWrappers, ParameterBindings

SourcePlace = tuple[str, int]
"""A path and an offset in that file."""
UNKNOWN_PLACE: Final[SourcePlace] = ("", -1)


@dataclass(frozen=True, slots=True)
class KernelUse:
    """A reference to a kernel, its template arguments resolved as far as the compiler did."""

    kernel: str
    target: SourcePlace
    """Where the definition begins; `UNKNOWN_PLACE` when the unit does not show it."""
    template_arguments: tuple[str, ...]
    """Empty for a plain kernel, and inside a template that nobody instantiates."""
    symbol: str
    path: str
    offset: int
    """Where the kernel's name stands, in the file where it was written; an empty path for a
    bare instantiation.
    """
    enclosing_function: str
    enclosing_start: int
    """Offset at which the enclosing function begins; -1 where there is none."""
    bindings: ParameterBindings = ()
    """Arguments of the call of that function, where it launches a parameter."""
    call_place: SourcePlace = UNKNOWN_PLACE
    """Where that call stands."""


@dataclass(frozen=True, slots=True)
class LaunchTextFacts:
    """What the text of a unit's files says of launches, before any cursor is visited."""

    launched_names: frozenset[str]
    """Names that launches are written with."""
    is_launched: Callable[[str, int, str], bool]
    """By path, offset and name: whether a launch begins there."""
    may_contain_use: Callable[[str | None, int, int, str], bool]
    """By path, range and name of a function or a class: whether it may hold a use of another."""
    launch_wrappers: LaunchWrappers
    """The functions that launch a kernel which is passed to them."""
