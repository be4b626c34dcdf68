"""Find the free operators that a closure's code may use without naming them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceFiles
from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.clang.declarations import Declaration

# in the text as written: libclang names what a macro made, and `operator ""_half` otherwise
_OPERATOR: Final = re.compile(r'operator\s*("")?\s*([^\s\w(]+|\(\s*\))')
_TYPE_KINDS: Final = frozenset({"type", "alias"})
_TEMPLATE_PARAMETER_KINDS: Final = (
    CursorKind.TEMPLATE_TYPE_PARAMETER,
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
)
_QUALIFIERS: Final = frozenset({"const", "volatile"})
_CUDA_TYPE: Final = re.compile(
    r"(?:u?(?:char|short|int|long|longlong)|float|double)[234]|dim3"
    r"|(?:__)?half2?|(?:__)?nv_bfloat162?|cu(?:Float|Double)?Complex"
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
    cuda_types: frozenset[str]
    """Types of CUDA that its parameters are other names of: `double2` of `cuDoubleComplex`."""


def find_free_operators(
    declarations: Iterable[Declaration],
) -> tuple[FreeOperator, ...]:
    """Return the free operators that device code may use."""
    return tuple(_iter_free_operators(declarations))


def _iter_free_operators(
    declarations: Iterable[Declaration],
) -> Iterator[FreeOperator]:
    for declaration in declarations:
        if declaration.kind != "function":
            continue
        if not any(name.startswith("operator") for name in declaration.names):
            continue
        if not declaration.is_usable_on_device:
            continue

        sign = _read_sign(declaration)
        if sign:
            operand_names = frozenset(_list_operand_names(declaration))
            cuda_types = frozenset(_list_cuda_types(declaration))
            yield FreeOperator(declaration, sign, operand_names, cuda_types)


def _read_sign(declaration: Declaration) -> str:
    """Return an operator's sign by its text, or as the compiler calls what a macro makes."""
    written = _OPERATOR.search(declaration.raw_text)
    if written:
        return written[2]

    return declaration.names[0].removeprefix("operator").strip()


def _list_operand_names(declaration: Declaration) -> set[str]:
    """Return the names in an operator's parameter list; where all are of its own template's,
    its namespace.
    """
    template_parameters = set()
    type_words: set[str] = set()
    for child in list_child_cursors(declaration.cursor):
        if child.kind in _TEMPLATE_PARAMETER_KINDS:
            template_parameters.add(child.spelling)
        elif child.kind is CursorKind.PARM_DECL:
            type_words.update(IDENTIFIER.findall(child.type.spelling))

    takes_anything = type_words <= template_parameters | _QUALIFIERS
    # `template <class T> T operator+(T, T)`
    if template_parameters and takes_anything:
        return {_namespace_word(declaration)}

    written = _OPERATOR.search(declaration.raw_text)
    if written is None:
        return type_words

    head = declaration.raw_text[written.end() :].partition("{")[0]

    return set(IDENTIFIER.findall(head))


def _list_cuda_types(declaration: Declaration) -> Iterator[str]:
    for child in list_child_cursors(declaration.cursor):
        if child.kind is CursorKind.PARM_DECL:
            spelling = child.type.get_canonical().spelling
            yield from filter(_CUDA_TYPE.fullmatch, IDENTIFIER.findall(spelling))


def _namespace_word(declaration: Declaration) -> str:
    """Return what stands for the namespace of a declaration among names of types."""
    return "::" + "::".join(declaration.namespaces)


class OperatorUsage:
    """What a closure holds so far that an operator may apply to."""

    def __init__(
        self,
        candidates: tuple[FreeOperator, ...],
        sources: SourceFiles,
        argument_names: frozenset[str] = frozenset(),
    ) -> None:
        self._candidates = candidates
        """Those that are not in the closure yet."""
        self._sources = sources
        self._argument_names = argument_names
        """Names in the arguments that the kernel's template is given."""
        self._missing_signs = {candidate.sign for candidate in candidates}
        """Those of candidates that nothing in the closure has."""
        self._signs: set[str] = set()
        self._type_names: set[str] = set()
        self._cuda_types = {
            name
            for candidate in candidates
            for name in candidate.operand_names
            if _CUDA_TYPE.fullmatch(name)
        }

    def find_applicable(
        self, added_declarations: Iterable[Declaration]
    ) -> list[Declaration]:
        """Note what a closure got anew, and return the operators that all of it now reaches."""
        if not self._candidates:
            return []

        for declaration in added_declarations:
            self._add(declaration)

        applicable: list[FreeOperator] = []
        inapplicable: list[FreeOperator] = []
        for candidate in self._candidates:
            is_applicable = candidate.sign in self._signs and not (
                candidate.operand_names.isdisjoint(self._type_names)
                and candidate.cuda_types.isdisjoint(self._argument_names)
            )
            (applicable if is_applicable else inapplicable).append(candidate)

        self._candidates = tuple(inapplicable)

        return [operator.declaration for operator in applicable]

    def _add(self, declaration: Declaration) -> None:
        source = declaration.source
        text = source.raw[declaration.start : declaration.end]
        # `+` is found in `+=` as well: an operator too much does no harm
        found_signs = {sign for sign in self._missing_signs if sign in text}
        self._missing_signs -= found_signs
        self._signs |= found_signs

        for name in self._cuda_types - self._type_names:
            # `float4` in `make_float4`
            if name in text:
                self._type_names.add(name)

        if declaration.kind in _TYPE_KINDS:
            self._type_names.update(declaration.names[:1])
            self._type_names.add(_namespace_word(declaration))
