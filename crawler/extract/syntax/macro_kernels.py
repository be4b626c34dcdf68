"""Find kernels that macros define, such as `DEFINE_KERNEL(float)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.macros import Macro
from crawler.cpp.source_text import Lexeme, SourceText
from crawler.extract.syntax.kernel_definitions import (
    KernelDefinition,
    find_declaration_start,
)

_GLOBAL: Final = "__global__"
_PARAMETERS: Final = re.compile(r"#\s*define\s+\w+\(([^)]*)\)")
_NO_NAMES: Final = frozenset(
    {
        "void",
        "auto",
        "static",
        "inline",
        "extern",
        "const",
        "constexpr",
        "__forceinline__",
        "__noinline__",
    }
    | {
        "__launch_bounds__",
        "__cluster_dims__",
        "__attribute__",
        "__maxnreg__",
        "__block_size__",
        "template",
        "typename",
    }
)
_MOST_NAME: Final = 9


@dataclass(frozen=True, slots=True)
class KernelMacro:
    """A function-like macro whose expansion heads a kernel."""

    parameters: tuple[str, ...]
    name_parts: tuple[str, ...]
    """Tokens that are pasted to the kernel's name."""
    has_body: bool


def find_kernel_macros(known_macros: Iterable[Macro]) -> dict[str, KernelMacro]:
    """Return the macros that name the kernel they head; one that only stands for `__global__`
    is none.
    """
    found = {
        macro.name: _maker(macro)
        for macro in known_macros
        if _GLOBAL in macro.used_names
    }
    return {name: maker for name, maker in found.items() if maker is not None}


def find_macro_kernels(
    source: SourceText, kernel_macros: Mapping[str, KernelMacro]
) -> Iterator[KernelDefinition]:
    """Yield the definitions that uses of these macros make in a file."""
    if not any(name in source.raw for name in kernel_macros):
        return
    lexemes = source.lexemes
    for at, lexeme in enumerate(lexemes[:-1]):
        if (
            lexeme.text in kernel_macros
            and not lexeme.directive
            and lexemes[at + 1].text == "("
        ):
            end = source.find_closing_bracket(at + 1)
            definition = (
                _definition(source, kernel_macros[lexeme.text], at, end)
                if end > 0
                else None
            )
            if definition is not None:
                yield definition


def _maker(macro: Macro) -> KernelMacro | None:
    given = _PARAMETERS.match(macro.text)
    if given is None:
        return None
    lexemes = SourceText(
        "", macro.text[given.end() :].encode("latin-1", "replace")
    ).lexemes
    marked = next(
        (at for at, lexeme in enumerate(lexemes) if lexeme.text == _GLOBAL), -1
    )
    name = _named(lexemes, marked + 1) if marked >= 0 else ()
    parameters = tuple(part.strip() for part in given.group(1).split(","))
    return (
        KernelMacro(
            parameters, name, any(lexeme.text == "{" for lexeme in lexemes[marked:])
        )
        if name
        else None
    )


def _named(lexemes: list[Lexeme], at: int) -> tuple[str, ...]:
    """Return the tokens of the name behind `__global__`: the last ones in front of its
    parameters or of the end.
    """
    last: tuple[str, ...] = ()
    depth = 0
    while at < len(lexemes):
        text = lexemes[at].text
        depth += (text == "(") - (text == ")")
        if text == "(" and depth == 1 and last and last[-1] not in _NO_NAMES:
            return last
        if depth == 0 and lexemes[at].kind is TokenKind.NAME:
            last = (
                (*last, text)
                if last and lexemes[at - 1].text == "##" and len(last) < _MOST_NAME
                else (text,)
            )
        at += 1
    return last if last and last[-1] not in _NO_NAMES else ()


def _definition(
    source: SourceText, maker: KernelMacro, at: int, end: int
) -> KernelDefinition | None:
    lexemes = source.lexemes
    values = dict(
        zip(
            maker.parameters,
            split_argument_texts(source, lexemes[at + 2 : end]),
            strict=False,
        )
    )
    name = "".join(values.get(part, part) for part in maker.name_parts)
    start = lexemes[
        at if maker.has_body else find_declaration_start(lexemes, at)
    ].offset
    if not name.isidentifier():
        return None
    if maker.has_body:
        inside = lexemes[at + 1].end
        return KernelDefinition(name, start, lexemes[end].end, inside, (inside, inside))
    opening = end + 1
    parameters = (lexemes[end].offset, lexemes[end].offset)
    if opening < len(lexemes) and lexemes[opening].text == "(":
        closed = source.find_closing_bracket(opening)
        parameters = (lexemes[opening].end, lexemes[closed].offset)
        opening = closed + 1 if closed > 0 else len(lexemes)
    if opening >= len(lexemes) or lexemes[opening].text != "{":
        return None
    body = source.find_closing_bracket(opening)
    stop = lexemes[body].end if body > 0 else len(source.raw)
    return KernelDefinition(name, start, stop, lexemes[opening].offset, parameters)
