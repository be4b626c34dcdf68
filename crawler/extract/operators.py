"""Free operators of a project's types: code uses them without naming them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crawler.extract.declarations import Declaration
from crawler.extract.source import Sources

_NAME: Final = re.compile(r'operator\s*("")?\s*([^\s\w(]+|\(\s*\))')
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_TYPES: Final = frozenset({"type", "alias"})
_OF_CUDA: Final = re.compile(
    r"(?:u?(?:char|short|int|long|longlong)|float|double)[234]|dim3|(?:__)?half2?|(?:__)?nv_bfloat162?"
)
"""Types that nobody declares: an operator for them applies where they are named, as by `make_float3`."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A free function such as `operator*`."""

    declaration: Declaration
    sign: str
    operands: frozenset[str]
    """Names in its parameter list."""


def operators(declarations: Iterable[Declaration]) -> tuple[Operator, ...]:
    """Return the free operators that device code may use."""
    return tuple(_operators(declarations))


def _operators(declarations: Iterable[Declaration]) -> Iterator[Operator]:
    for declaration in declarations:
        if declaration.kind != "function" or not declaration.on_device:
            continue
        if not any(name.startswith("operator") for name in declaration.names):
            continue
        text = declaration.written
        written = _NAME.search(text)
        if written:
            operands = _WORD.findall(text[written.end() :].partition("{")[0])
            yield Operator(declaration, written.group(2), frozenset(operands))


class Operands:
    """What a closure holds so far that an operator may apply to."""

    def __init__(self, known: tuple[Operator, ...], sources: Sources) -> None:
        self._left = known
        self._sources = sources
        self._signs: set[str] = set()
        self._types: set[str] = set()
        self._of_cuda = {word for one in known for word in one.operands if _OF_CUDA.fullmatch(word)}

    def reached(self, taken: Iterable[Declaration]) -> list[Declaration]:
        """Note what was taken anew, and return the operators that all of it now reaches."""
        for declaration in taken if self._left else ():
            self._note(declaration)
        found = [one for one in self._left if one.sign in self._signs and one.operands & self._types]
        if found:
            self._left = tuple(one for one in self._left if one not in found)
        return [one.declaration for one in found]

    def _note(self, declaration: Declaration) -> None:
        text = self._sources[declaration.path].raw[declaration.start : declaration.end]
        self._signs.update(sign for sign in {one.sign for one in self._left} - self._signs if sign in text)
        self._types.update(name for name in self._of_cuda - self._types if name in text)
        if declaration.kind in _TYPES:
            self._types.update(declaration.names[:1])
