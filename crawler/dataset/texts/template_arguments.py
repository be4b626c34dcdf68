"""Spell template arguments in place of parameter names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crawler.cpp.identifiers import IDENTIFIER
from crawler.model import TemplateParameter

_NAME: Final = re.compile(
    r"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*(?:<[^,()*&]*>)?"
)
_ONE_WORD: Final = {
    "unsigned int": "unsigned",
    "unsigned char": "uint8_t",
    "signed char": "int8_t",
    "unsigned short": "uint16_t",
    "unsigned long": "uint64_t",
}
"""Types of several words cannot be called: `T(x)`. The prelude of every unit has these."""
_INTEGER: Final = re.compile(r"-?\d+")
_SUFFIXES: Final = {
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
        return _value(parameter, argument, preceding_arguments)
    meaning = (
        f"using {parameter.name} = {argument};" if parameter.kind == "type" else ""
    )
    text = _ONE_WORD.get(argument, argument)
    if _NAME.fullmatch(text):
        return ArgumentText(text, declaration=meaning)
    if parameter.kind == "template":
        return ArgumentText(argument)
    return ArgumentText(parameter.name, declaration=meaning, keeps_name=True)


def _value(
    parameter: TemplateParameter, argument: str, known: Mapping[str, str]
) -> ArgumentText:
    kind = IDENTIFIER.sub(
        lambda word: known.get(word.group(), word.group()), parameter.type
    )
    bare = kind.removeprefix("const ").removeprefix("std::")
    text = argument
    if _INTEGER.fullmatch(argument):
        text = (
            f"{argument}{_SUFFIXES[bare]}"
            if bare in _SUFFIXES
            else f"static_cast<{bare}>({argument})"
        )
    if argument.startswith("-") or not (
        _INTEGER.match(text) or _NAME.fullmatch(text) or text.startswith("static_")
    ):
        text = f"({text})"
    return ArgumentText(
        text, declaration=f"constexpr {bare or 'auto'} {parameter.name} = {text};"
    )
