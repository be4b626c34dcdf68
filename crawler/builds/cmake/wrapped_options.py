"""Find the options that a project declares by functions of its own.

`set_option(GPU LIB_ENABLE_CUDA "Use CUDA" OFF)` declares one where that function calls
`option(${name} …)` with its second parameter; another may put a prefix before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

# CMake's text: the heads and ends of functions, and the arguments of calls to them
_DEFINITION: Final = re.compile(
    r"^[ \t]*(?:function|macro)[ \t]*\([ \t]*([A-Za-z_]\w{0,99})"
    r"((?:\s+[A-Za-z_]\w{0,60}){1,20})\s*\)",
    re.MULTILINE | re.IGNORECASE,
)
_END: Final = re.compile(
    r"^[ \t]*end(?:function|macro)\b", re.MULTILINE | re.IGNORECASE
)
_CALL: Final = re.compile(r"^[ \t]*([A-Za-z_]\w{0,99})[ \t]*\(", re.MULTILINE)
_ARGUMENT: Final = re.compile(r'\s*(?:"((?:[^"\\]|\\.){0,400})"|([^\s()"#]{1,200}))')
_PARAMETER: Final = re.compile(r"([\w-]{0,60})\$\{(\w{1,60})\}([\w-]{0,60})")
_OPTION_NAME: Final = re.compile(r"[A-Za-z]\w{1,80}")
_OPTION_COMMANDS: Final = ("option", "cmake_dependent_option")
_CACHE_WORDS: Final = ["CACHE", "BOOL"]
_RESULT_ENDING: Final = "_FOUND"
"""Of what a search for a package sets, and no user."""
_MAX_BODY: Final = 20_000
"""Characters of a function that are read."""
_MAX_DEFINITIONS: Final = 2_000
_MAX_ARGUMENTS: Final = 8
_MAX_ROUNDS: Final = 3
"""Functions that call functions that declare an option."""


class _Wrapper(NamedTuple):
    """A function that declares an option called after one of its arguments."""

    position: int
    prefix: str
    suffix: str


class _Definition(NamedTuple):
    """A function or macro, its parameters, and what its body calls with which arguments."""

    name: str
    parameters: tuple[str, ...]
    calls: tuple[tuple[str, tuple[str, ...]], ...]


def find_wrapped_options(text: str) -> list[str]:
    """Return the options that a text of CMake declares by functions that it defines, in order."""
    definitions = list(_iter_definitions(text))
    wrappers: dict[str, _Wrapper] = {}
    for _ in range(_MAX_ROUNDS):
        known_count = len(wrappers)
        for definition in definitions:
            wrapper = _find_wrapper(definition, wrappers)
            if wrapper:
                wrappers.setdefault(definition.name, wrapper)
        if len(wrappers) == known_count:
            break

    # few projects have any, and most have thousands of calls
    if not wrappers:
        return []

    options: dict[str, None] = {}
    for name, arguments in _iter_calls(text, frozenset(wrappers)):
        wrapper = wrappers[name]
        if len(arguments) > wrapper.position:
            argument = arguments[wrapper.position]
            option = f"{wrapper.prefix}{argument}{wrapper.suffix}"
            is_result = option.upper().endswith(_RESULT_ENDING)
            if _OPTION_NAME.fullmatch(option) and not is_result:
                options[option] = None

    return list(options)


def _iter_definitions(text: str) -> Iterator[_Definition]:
    openings = list(islice(_DEFINITION.finditer(text), _MAX_DEFINITIONS))
    following_starts = [match.start() for match in openings[1:]]
    for match, limit in zip(openings, (*following_starts, len(text)), strict=False):
        # one that is never closed must not be read again and again
        end = _END.search(text, match.end(), min(limit, match.end() + _MAX_BODY))
        if end:
            body = text[match.end() : end.start()]
            yield _Definition(
                match[1].lower(), tuple(match[2].split()), tuple(_iter_calls(body))
            )


def _iter_calls(
    text: str, names: frozenset[str] = frozenset()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the calls of a text, in lower case, or those of some commands, with the first
    arguments of each.
    """
    for match in _CALL.finditer(text):
        name = match[1].lower()
        if names and name not in names:
            continue

        arguments: list[str] = []
        position = match.end()
        while len(arguments) < _MAX_ARGUMENTS:
            argument = _ARGUMENT.match(text, position)
            if argument is None:
                break
            arguments.append(argument[1] if argument[2] is None else argument[2])
            position = argument.end()

        yield name, tuple(arguments)


def _find_wrapper(
    definition: _Definition, wrappers: dict[str, _Wrapper]
) -> _Wrapper | None:
    for name, arguments in definition.calls:
        template = _find_declared_name(name, arguments, wrappers)
        match = _PARAMETER.fullmatch(template)
        if match and match[2] in definition.parameters:
            return _Wrapper(definition.parameters.index(match[2]), match[1], match[3])

    return None


def _find_declared_name(
    name: str, arguments: tuple[str, ...], wrappers: dict[str, _Wrapper]
) -> str:
    """Return the name of the option that a call declares; empty where it declares none."""
    if name in _OPTION_COMMANDS and arguments:
        return arguments[0]
    # `set(${name} OFF CACHE BOOL …)`
    if name == "set" and list(arguments[2:4]) == _CACHE_WORDS:
        return arguments[0]

    wrapper = wrappers.get(name)
    if wrapper and len(arguments) > wrapper.position:
        return f"{wrapper.prefix}{arguments[wrapper.position]}{wrapper.suffix}"

    return ""
