"""Find kernels that macros define, such as `DEFINE_KERNEL(float)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.syntax.kernel_definitions import (
    KernelDefinition,
    find_declaration_start,
)

_GLOBAL: Final = "__global__"
_NOT_KERNEL_NAMES: Final = frozenset(
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
        "__launch_bounds__",
        "__cluster_dims__",
        "__attribute__",
        "__maxnreg__",
        "__block_size__",
        "template",
        "typename",
    }
)
_MAX_NAME_PARTS: Final = 9


@dataclass(frozen=True, slots=True)
class KernelMacro:
    """A function-like macro whose expansion heads a kernel."""

    parameters: tuple[str, ...]
    name_parts: tuple[str, ...]
    """Tokens that are pasted to the kernel's name."""
    has_body: bool


def find_kernel_macros(known_macros: Iterable[Macro]) -> dict[str, KernelMacro]:
    """Return the macros that name the kernel they head.

    One that only stands for `__global__` is none. Of several definitions of a name the last one
    counts.
    """
    candidates = {
        macro.name: _read_kernel_macro(macro)
        for macro in known_macros
        if _GLOBAL in macro.used_names
    }
    return {
        name: kernel_macro
        for name, kernel_macro in candidates.items()
        if kernel_macro is not None
    }


def find_macro_kernels(
    source: SourceText, kernel_macros: Mapping[str, KernelMacro]
) -> Iterator[KernelDefinition]:
    """Yield the definitions that uses of these macros make in a file."""
    if not any(name in source.raw for name in kernel_macros):
        return

    lexemes = source.lexemes
    for index, lexeme in enumerate(lexemes[:-1]):
        if lexeme.text not in kernel_macros or lexeme.directive:
            continue
        if lexemes[index + 1].text != "(":
            continue

        closing = source.find_closing_bracket(index + 1)
        if closing <= 0:
            continue

        kernel_macro = kernel_macros[lexeme.text]
        definition = _expand_use(source, kernel_macro, index, closing)

        if definition is not None:
            yield definition


def _read_kernel_macro(macro: Macro) -> KernelMacro | None:
    if macro.parameters is None:
        return None

    body = macro.body.encode("latin-1", "replace")
    lexemes = SourceText("", body).lexemes
    marker_indices = [
        index for index, lexeme in enumerate(lexemes) if lexeme.text == _GLOBAL
    ]
    if not marker_indices:
        return None

    # a macro that defines several kernels is known by the first one
    marker_index = marker_indices[0]
    name_parts = _find_name_parts(lexemes, marker_index + 1)
    if not name_parts:
        return None

    has_body = any(lexeme.text == "{" for lexeme in lexemes[marker_index:])
    return KernelMacro(macro.parameters, name_parts, has_body)


def _find_name_parts(lexemes: Sequence[Lexeme], start: int) -> tuple[str, ...]:
    """Return the tokens of the name behind `__global__`.

    They are the last ones in front of its parameters, or of the end. `kernel_##type` has two.
    """
    name_parts: tuple[str, ...] = ()
    depth = 0

    for index in range(start, len(lexemes)):
        lexeme = lexemes[index]
        text = lexeme.text
        depth += (text == "(") - (text == ")")

        # `__global__ void __launch_bounds__(256) name(`: an attribute's list is no parameter
        # list
        opens_list = text == "(" and depth == 1
        if opens_list and name_parts and name_parts[-1] not in _NOT_KERNEL_NAMES:
            return name_parts
        if depth != 0 or lexeme.kind is not TokenKind.NAME:
            continue

        is_pasted = bool(name_parts) and lexemes[index - 1].text == "##"
        if not is_pasted or len(name_parts) >= _MAX_NAME_PARTS:
            name_parts = ()

        name_parts = (*name_parts, text)

    if not name_parts or name_parts[-1] in _NOT_KERNEL_NAMES:
        return ()
    return name_parts


def _expand_use(
    source: SourceText, kernel_macro: KernelMacro, name_index: int, closing: int
) -> KernelDefinition | None:
    """Return the kernel that the use of a macro at a token defines.

    `closing` is the position of the parenthesis behind the macro's arguments.
    """
    lexemes = source.lexemes
    arguments = split_argument_texts(source, lexemes[name_index + 2 : closing])
    argument_by_parameter = dict(zip(kernel_macro.parameters, arguments, strict=False))
    name = "".join(
        argument_by_parameter.get(part, part) for part in kernel_macro.name_parts
    )
    if not name.isidentifier():
        return None

    if kernel_macro.has_body:
        # all of it stands in the macro: the use itself has neither parameters nor a body
        inside = lexemes[name_index + 1].end
        return KernelDefinition(
            name=name,
            start=lexemes[name_index].offset,
            end=lexemes[closing].end,
            body_start=inside,
            parameter_range=(inside, inside),
        )

    start_index = find_declaration_start(lexemes, name_index)
    return _read_definition(source, name, lexemes[start_index].offset, closing)


def _read_definition(
    source: SourceText, name: str, start: int, macro_end: int
) -> KernelDefinition | None:
    """Return a kernel whose head, or part of it, a macro makes, and whose body follows.

    `macro_end` is the position of the last token of the macro's use.
    """
    lexemes = source.lexemes
    body_index = macro_end + 1
    # without a list behind it, the macro makes the parameters as well
    parameters_end = lexemes[macro_end].offset
    parameter_range = (parameters_end, parameters_end)

    if body_index < len(lexemes) and lexemes[body_index].text == "(":
        closing = source.find_closing_bracket(body_index)
        parameter_range = (lexemes[body_index].end, lexemes[closing].offset)
        body_index = closing + 1 if closing > 0 else len(lexemes)

    if body_index >= len(lexemes) or lexemes[body_index].text != "{":
        return None

    body_end = source.find_closing_bracket(body_index)
    return KernelDefinition(
        name=name,
        start=start,
        end=lexemes[body_end].end if body_end > 0 else len(source.raw),
        body_start=lexemes[body_index].offset,
        parameter_range=parameter_range,
    )
