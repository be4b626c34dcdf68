"""Substitute the arguments of a macro's use into its body, as the preprocessor does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.directives import LINE_SPLICE
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.macros import Macro

MAX_EXPANDED_CHARACTERS: Final = 200_000
_VARIADIC: Final = "__VA_ARGS__"


@dataclass(frozen=True, slots=True)
class MacroDefinition:
    """A macro's parameters and the tokens of its body."""

    parameters: tuple[str, ...] | None
    """`None` for a macro that takes no list."""
    body: Sequence[Lexeme]
    source: SourceText


def read_macro_definition(source: SourceText, macro: Macro) -> MacroDefinition:
    """Return the definition of a macro of a file."""
    lexemes = source.lexemes
    first = source.lexeme_index(macro.name_offset) + 1
    last = first

    while last < len(lexemes) and lexemes[last].directive == "define":
        last += 1

    body = lexemes[first:last]
    if not body:
        return MacroDefinition(None, body, source)

    # a list of parameters stands directly behind the name: `#define A (1)` has none
    name_end = macro.name_offset + len(macro.name)
    has_parameters = body[0].text == "(" and body[0].offset == name_end
    if not has_parameters:
        return MacroDefinition(None, body, source)

    # positions within the body rather than the file
    closing = source.find_closing_bracket(first) - first
    parameters: list[str] = []

    for part in split_tokens(body[1:closing], angles=True):
        # `args...` is two tokens
        texts = [token.text for token in part]
        parameters.append("".join(texts))

    return MacroDefinition(tuple(parameters), body[closing + 1 :], source)


def substitute_arguments(
    definition: MacroDefinition,
    arguments: Sequence[str],
    marks: Mapping[int, str],
) -> str:
    """Return the body with arguments in place of parameters, `#` and `##` obeyed.

    `marks` are texts to put in front of the tokens at some offsets.
    """
    values = _bind_arguments(definition.parameters or (), arguments)
    pieces: list[str] = []
    previous_end = definition.body[0].offset if definition.body else 0
    previous_text = ""
    size = 0

    for lexeme in definition.body:
        gap = ""
        # `a ## b` are one token: no gap between them
        if previous_text != "##":
            between = definition.source.raw[previous_end : lexeme.offset]
            gap = LINE_SPLICE.sub("\n", between)

        text = lexeme.text
        if lexeme.kind is TokenKind.NAME:
            text = values.get(text, text)

        # `#name` makes a string of the argument
        if previous_text == "#" and lexeme.text in values:
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            text = f'"{escaped}"'

        if lexeme.text not in ("#", "##"):
            mark = marks.get(lexeme.offset, "")
            pieces += [gap, mark, text]

        size += len(text)
        if size > MAX_EXPANDED_CHARACTERS:
            break

        previous_end = lexeme.end
        previous_text = lexeme.text

    return "".join(pieces)


def _bind_arguments(
    parameters: Sequence[str], arguments: Sequence[str]
) -> dict[str, str]:
    """Return what each parameter stands for; all that is left over for a variadic one."""
    # a use may have too few arguments: then the others are left as they are
    values = dict(zip(parameters, arguments, strict=False))
    last_parameter = parameters[-1] if parameters else ""
    if not last_parameter.endswith("..."):
        return values

    # `args...` has a name of its own, `...` has not
    first_variadic = len(parameters) - 1
    variadic_value = ", ".join(arguments[first_variadic:])
    name = last_parameter.removesuffix("...") or _VARIADIC
    values[name] = variadic_value
    values[_VARIADIC] = variadic_value

    return values
