"""Read template arguments as clang or a demangler prints them."""

from __future__ import annotations

import re
from typing import Final

# one argument, as a compiler prints it
_INTEGER_WITH_SUFFIX: Final = re.compile(r"^(-?\d+)[UL]+$")
_LANGUAGE_WORDS: Final = frozenset(
    {
        "float",
        "double",
        "int",
        "unsigned",
        "char",
        "short",
        "long",
        "bool",
        "signed",
        "true",
        "false",
        "const",
    }
)
_TORCH_TYPES: Final = frozenset({"c10::Half", "c10::BFloat16"})


def find_printed_arguments(printed: str, template_name: str) -> tuple[str, ...] | None:
    """Return the arguments behind the first `name<` of a printed declaration.

    Those of packs are laid out flat. `None` where no such name is printed.
    """
    match = re.search(rf"(?<!\w){re.escape(template_name)}<", printed)
    if match is None:
        return None

    return tuple(split_printed_arguments(printed, match.end()))


def split_printed_arguments(text: str, start: int) -> list[str]:
    """Return the arguments from `start`, behind their `<`, up to the `>` that closes the list.

    clang prints a pack in angle brackets of its own, which no type begins with: `<int, float>`
    within a list stands for two arguments. Suffixes of integers are dropped: `4UL` is `4`.
    """
    arguments: list[str] = []
    for argument in _split_first_level(text, start):
        if argument.startswith("<"):
            arguments += split_printed_arguments(argument, 1)
        else:
            arguments.append(argument)

    return [
        _INTEGER_WITH_SUFFIX.sub(r"\1", argument) for argument in arguments if argument
    ]


def is_universal_argument(argument: str) -> bool:
    """Tell whether a template argument means the same in every unit.

    That holds for types and values of the language itself, and for the types that every unit
    for PyTorch knows.
    """
    if argument in _TORCH_TYPES:
        return True

    words = argument.replace("*", " ").split()
    return all(word in _LANGUAGE_WORDS or word.lstrip("-").isdigit() for word in words)


def _split_first_level(text: str, start: int) -> list[str]:
    parts: list[str] = []
    part_start = start
    depth = 0

    for position in range(start, len(text)):
        character = text[position]
        if character in "(<[{":
            depth += 1
        # the `>` of `->` in a trailing return type closes nothing
        elif character in ")>]}" and text[position - 1] != "-":
            depth -= 1

        is_list_end = depth < 0
        if is_list_end or (depth == 0 and character == ","):
            parts.append(text[part_start:position].strip())
            part_start = position + 1

        if is_list_end:
            break

    return parts
