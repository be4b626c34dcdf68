"""The definitions that a kernel's host code names, by what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeVar

from crawler.model import CompanionKind, HostCompanion
from crawler.validate.evidence.host_definitions import find_definitions
from crawler.validate.evidence.host_program.host_function import (
    HostFunction,
    read_function,
    read_macro,
)
from crawler.validate.evidence.source_constants import find_constants

_Definition = TypeVar("_Definition", str, HostFunction)
_CONSTANT_KINDS: Final = (CompanionKind.MACRO, CompanionKind.ENUMERATION)


@dataclass(frozen=True, slots=True)
class HostProgram:
    """What the companions of a kernel define; what they define in two ways is left out."""

    constants: Mapping[str, str] = field(default_factory=dict)
    """Expressions, by unqualified name."""
    macros: Mapping[str, HostFunction] = field(default_factory=dict)
    """Those with parameters."""
    functions: Mapping[str, Sequence[HostFunction]] = field(default_factory=dict)
    """By unqualified name, overloads together."""
    callers: Sequence[HostFunction] = ()
    """What calls the host code."""


@lru_cache(maxsize=8)
def read_host_program(companions: tuple[HostCompanion, ...]) -> HostProgram:
    """Return what companions define."""
    functions: dict[str, list[HostFunction]] = {}
    callers: list[HostFunction] = []

    for companion in companions:
        is_caller = companion.kind is CompanionKind.CALLER
        if not is_caller and companion.kind is not CompanionKind.FUNCTION:
            continue

        function = read_function(companion.source)
        if function is None:
            continue

        overloads = functions.setdefault(function.name.rpartition("::")[2], [])
        if function not in overloads:
            overloads.append(function)
        if is_caller:
            callers.append(function)

    return HostProgram(
        constants=_select_certain(_iter_constants(companions)),
        macros=_select_certain(_iter_macros(companions)),
        functions=functions,
        callers=tuple(callers),
    )


def _iter_constants(companions: Sequence[HostCompanion]) -> Iterator[tuple[str, str]]:
    for companion in companions:
        if companion.kind is CompanionKind.CONSTANT:
            yield from find_definitions(companion.source).items()
        elif companion.kind in _CONSTANT_KINDS:
            yield from find_constants(companion.source)


def _iter_macros(
    companions: Sequence[HostCompanion],
) -> Iterator[tuple[str, HostFunction]]:
    for companion in companions:
        if companion.kind is CompanionKind.MACRO:
            macro = read_macro(companion.source)
            if macro is not None:
                yield macro.name, macro


def _select_certain(
    definitions: Iterator[tuple[str, _Definition]],
) -> dict[str, _Definition]:
    """Return what has one definition alone: of two nobody knows which one holds."""
    certain: dict[str, _Definition] = {}
    uncertain: set[str] = set()

    for name, definition in definitions:
        if certain.setdefault(name, definition) != definition:
            uncertain.add(name)

    return {name: value for name, value in certain.items() if name not in uncertain}
