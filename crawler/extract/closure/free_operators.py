"""Find the free operators that a closure's code may use without naming them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.source_text import SourceFiles
from crawler.extract.clang.cursor_locations import child_cursors
from crawler.extract.clang.declarations import Declaration

_NAME: Final = re.compile(r'operator\s*("")?\s*([^\s\w(]+|\(\s*\))')
_TYPES: Final = frozenset({"type", "alias"})
_TEMPLATE_PARAMETERS: Final = (
    CursorKind.TEMPLATE_TYPE_PARAMETER,
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
)
_QUALIFIERS: Final = frozenset({"const", "volatile"})
_OF_CUDA: Final = re.compile(
    r"(?:u?(?:char|short|int|long|longlong)|float|double)[234]|dim3|(?:__)?half2?|(?:__)?nv_bfloat162?"
)
"""Types that nobody declares: an operator for them applies where they are named, as by
`make_float3`.
"""


@dataclass(frozen=True, slots=True)
class FreeOperator:
    """A free function such as `operator*`."""

    declaration: Declaration
    sign: str
    operand_names: frozenset[str]
    """Names in its parameter list; the namespace of one that takes anything, where types are by
    which it is found.
    """


def find_free_operators(
    declarations: Iterable[Declaration],
) -> tuple[FreeOperator, ...]:
    """Return the free operators that device code may use."""
    return tuple(_operators(declarations))


def _operators(declarations: Iterable[Declaration]) -> Iterator[FreeOperator]:
    for declaration in declarations:
        if declaration.kind != "function" or not any(
            name.startswith("operator") for name in declaration.names
        ):
            continue
        if declaration.is_usable_on_device and (sign := _sign(declaration)):
            yield FreeOperator(declaration, sign, frozenset(_operands(declaration)))


def _sign(declaration: Declaration) -> str:
    """Return an operator's sign by its text, or as the compiler calls what a macro makes."""
    written = _NAME.search(declaration.raw_text)
    return (
        written.group(2)
        if written
        else declaration.names[0].removeprefix("operator").strip()
    )


def _operands(declaration: Declaration) -> set[str]:
    """Return the names in an operator's parameter list; where all are of its own template's,
    its namespace.
    """
    written = _NAME.search(declaration.raw_text)
    own = {
        one.spelling
        for one in child_cursors(declaration.cursor)
        if one.kind in _TEMPLATE_PARAMETERS
    }
    taken = [
        one.type.spelling
        for one in child_cursors(declaration.cursor)
        if one.kind is CursorKind.PARM_DECL
    ]
    types = {word for text in taken for word in IDENTIFIER.findall(text)}
    if own and types <= own | _QUALIFIERS:
        return {_within(declaration)}
    return (
        set(IDENTIFIER.findall(declaration.raw_text[written.end() :].partition("{")[0]))
        if written
        else types
    )


def _within(declaration: Declaration) -> str:
    """Return what stands for the namespace of a declaration among names of types."""
    return "::" + "::".join(declaration.namespaces)


class OperatorUsage:
    """What a closure holds so far that an operator may apply to."""

    def __init__(
        self, candidates: tuple[FreeOperator, ...], sources: SourceFiles
    ) -> None:
        self._left = candidates
        self._sources = sources
        self._signs: set[str] = set()
        self._types: set[str] = set()
        self._of_cuda = {
            word
            for one in candidates
            for word in one.operand_names
            if _OF_CUDA.fullmatch(word)
        }

    def find_applicable(
        self, added_declarations: Iterable[Declaration]
    ) -> list[Declaration]:
        """Note what was taken anew, and return the operators that all of it now reaches."""
        for declaration in added_declarations if self._left else ():
            self._note(declaration)
        found = [
            one
            for one in self._left
            if one.sign in self._signs and one.operand_names & self._types
        ]
        if found:
            self._left = tuple(one for one in self._left if one not in found)
        return [one.declaration for one in found]

    def _note(self, declaration: Declaration) -> None:
        text = self._sources[declaration.path].raw[declaration.start : declaration.end]
        self._signs.update(
            sign
            for sign in {one.sign for one in self._left} - self._signs
            if sign in text
        )
        self._types.update(name for name in self._of_cuda - self._types if name in text)
        if declaration.kind in _TYPES:
            self._types.update((*declaration.names[:1], _within(declaration)))
