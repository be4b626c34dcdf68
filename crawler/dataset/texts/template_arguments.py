"""Spell template arguments in place of parameter names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crawler.cpp.identifiers import IDENTIFIER
from crawler.model import TemplateParameter

# one argument, as a compiler prints it: a name that needs no brackets round it
_QUALIFIED_NAME: Final = re.compile(
    r"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*(?:<[^,()*&]*>)?"
)
_ONE_WORD_TYPES: Final = {
    "unsigned int": "unsigned",
    "unsigned char": "uint8_t",
    "signed char": "int8_t",
    "unsigned short": "uint16_t",
    "unsigned long": "uint64_t",
}
"""Types of several words cannot be called: `T(x)`. The prelude of every unit has these."""
# one argument, as a compiler prints it: its beginning, or all of it
_INTEGER: Final = re.compile(r"-?\d+")
_LITERAL_SUFFIXES: Final = {
    **dict.fromkeys(("int", "int32_t", "bool", "auto", ""), ""),
    **dict.fromkeys(("unsigned", "unsigned int", "uint", "uint32_t"), "u"),
    **dict.fromkeys(("long", "int64_t", "ptrdiff_t"), "l"),
    **dict.fromkeys(("unsigned long", "size_t", "uint64_t"), "ul"),
    "long long": "ll",
    "unsigned long long": "ull",
}


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """A parameter's argument, as text."""

    text: str
    """What stands for the name."""
    declaration: str = ""
    """What gives the name its meaning, where something has to: `using T = const float *;`,
    `constexpr int N = 4;`.
    """
    keeps_name: bool = False
    """Whether the name stays, since such a type cannot be put into every declaration as it is."""


def spell_argument(
    parameter: TemplateParameter, argument: str, preceding_arguments: Mapping[str, str]
) -> ArgumentText:
    """Return how `argument` is written for `parameter`; `preceding_arguments` are the arguments
    of those before it.
    """
    if parameter.kind == "value":
        return _spell_value(parameter, argument, preceding_arguments)

    # `T(x)` with `unsigned int` for `T` would not compile
    text = _ONE_WORD_TYPES.get(argument, argument)
    declaration = ""
    if parameter.kind == "type":
        declaration = f"using {parameter.name} = {argument};"

    if _QUALIFIED_NAME.fullmatch(text):
        return ArgumentText(text, declaration=declaration)

    if parameter.kind == "template":
        return ArgumentText(argument)

    return ArgumentText(
        parameter.name,
        declaration=declaration,
        keeps_name=True,
    )


def _spell_value(
    parameter: TemplateParameter, argument: str, preceding_arguments: Mapping[str, str]
) -> ArgumentText:
    type_text = _resolve_type(parameter, preceding_arguments)
    text = argument
    if _INTEGER.fullmatch(argument):
        suffix = _LITERAL_SUFFIXES.get(type_text)
        # a type without a suffix, such as `uint8_t`, needs a cast
        if suffix is None:
            text = f"static_cast<{type_text}>({argument})"
        else:
            text = f"{argument}{suffix}"

    # `a -N` with `-1` for `N` would be `a --1`
    is_negative = argument.startswith("-")
    if is_negative or not _stands_alone(text):
        text = f"({text})"

    declared_type = type_text or "auto"
    declaration = f"constexpr {declared_type} {parameter.name} = {text};"
    return ArgumentText(text, declaration=declaration)


def _resolve_type(
    parameter: TemplateParameter, preceding_arguments: Mapping[str, str]
) -> str:
    """Return the type of a value without `const` and `std::`."""

    def resolve_name(name: re.Match[str]) -> str:
        return preceding_arguments.get(name[0], name[0])

    # e.g. `template <typename T, T N>`: the type of `N` is an argument itself
    full_type = IDENTIFIER.sub(resolve_name, parameter.type)
    unqualified = full_type.removeprefix("const ")
    return unqualified.removeprefix("std::")


def _stands_alone(text: str) -> bool:
    """Tell whether a value needs no brackets, whatever stands around it."""
    if text.startswith("static_") or _INTEGER.match(text):
        return True
    return _QUALIFIED_NAME.fullmatch(text) is not None
