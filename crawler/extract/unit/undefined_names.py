"""List the functions and variables that units of kernels declare and do not define.

Relocatable device code (`nvcc -rdc=true`) may use what other translation units define, which a
linker joins: functions, and tables such as `extern __constant__ int offsets[];`. A kernel's unit
stands alone, so it needs the definitions themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clang.cindex import StorageClass

from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind
from crawler.extract.clang.declarations import Declaration
from crawler.model import KernelFacts

_DEVICE_MEMORY: Final = frozenset({"__device__", "__constant__", "__managed__"})
_STATEMENT_ENDS: Final = frozenset({";", "{", "}"})
_BEHIND_VARIABLE: Final = frozenset({"[", "=", ";", "{"})
_MAX_HEAD_LEXEMES: Final = 64
"""Tokens in front of a variable's name that are looked at."""


@dataclass(frozen=True, slots=True)
class DeclaredName:
    """A name of device code that a unit declares and does not define."""

    qualified_name: str
    head_words: frozenset[str]
    """Words of its declaration: one of them may be a macro for `__device__`."""
    is_function: bool

    @property
    def name(self) -> str:
        """It without namespaces."""
        return self.qualified_name.rpartition("::")[2]

    def is_defined_in(self, source: SourceText) -> bool:
        """Tell whether a file has a definition of it for a device."""
        if self.is_function:
            return self._is_function_of(source)

        return self._is_variable_of(source)

    def _is_function_of(self, source: SourceText) -> bool:
        return any(
            self._is_named(function.name)
            and self._is_head(source.names_between(function.start, function.body_start))
            for function in find_functions(source)
        )

    def _is_variable_of(self, source: SourceText) -> bool:
        lexemes = source.lexemes
        return any(
            lexeme.text == self.name
            and not lexeme.directive
            and lexemes[index + 1 : index + 2]
            and lexemes[index + 1].text in _BEHIND_VARIABLE
            and self._is_definition_head(_list_words_before(lexemes, index))
            for index, lexeme in enumerate(lexemes)
        )

    def _is_definition_head(self, words: frozenset[str]) -> bool:
        return self._is_head(words) and "extern" not in words

    def _is_named(self, name: str) -> bool:
        # a namespace may be opened round it, a class is named in front of it
        return f"::{self.qualified_name}".endswith(f"::{name.removeprefix('::')}")

    def _is_head(self, words: frozenset[str]) -> bool:
        if not words.isdisjoint(_DEVICE_MEMORY):
            return True

        return any(word.isupper() for word in words & self.head_words)


def _list_words_before(lexemes: list[Lexeme], index: int) -> frozenset[str]:
    """Return the names that stand in front of a token in its statement."""
    words = set()
    for lexeme in reversed(lexemes[max(0, index - _MAX_HEAD_LEXEMES) : index]):
        if lexeme.directive or lexeme.text in _STATEMENT_ENDS:
            break

        if lexeme.kind is TokenKind.NAME:
            words.add(lexeme.text)

    return frozenset(words)


def list_undefined_names(
    declarations: Iterable[Declaration], kernels: Iterable[KernelFacts]
) -> list[DeclaredName]:
    """Return what units of kernels hold the declaration of, and no definition."""
    places = {
        (origin.path, origin.offset)
        for kernel in kernels
        if kernel.closure
        for origin in kernel.closure.origins
        if origin
    }
    declared: dict[tuple[str, int], list[Declaration]] = {}
    for declaration in declarations:
        place = declaration.path, declaration.start
        if declaration.kind in ("function", "variable") and place in places:
            declared.setdefault(place, []).append(declaration)

    # another reading of the same place may have the definition
    undefined = [
        DeclaredName(
            "::".join((*same[0].namespaces, same[0].cursor.spelling)),
            same[0].source.names_between(same[0].start, same[0].end),
            is_function=same[0].kind == "function",
        )
        for same in declared.values()
        if all(map(_is_undefined, same))
    ]

    return list(dict.fromkeys(undefined))


def _is_undefined(declaration: Declaration) -> bool:
    if not declaration.cursor.spelling.isidentifier():
        return False
    if declaration.kind == "variable":
        return _is_undefined_variable(declaration)
    if not declaration.is_usable_on_device or declaration.is_definition:
        return False

    return declaration.cursor.get_definition() is None


def _is_undefined_variable(declaration: Declaration) -> bool:
    cursor = declaration.cursor
    # `extern __shared__ float tile[];` is memory that each launch has
    words = declaration.source.names_between(declaration.start, declaration.end)
    if cursor.storage_class is not StorageClass.EXTERN or "__shared__" in words:
        return False

    return cursor.get_definition() is None
