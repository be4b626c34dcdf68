"""Identifiers that macros form with `##` or qualify with `::`.

`CONVERT(half, float)` may call `half_to_float`, and `VARIABLE(LOGGING)` mean
`library::environment::LOGGING`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.directives import LINE_SPLICE
from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import Macro

# The body of a macro is no C++ that a parser takes: `a##b` is no token of the language. So names
# are searched in its text.
_QUALIFIED_NAME: Final = re.compile(
    r"(?P<scope>(?:\b[A-Za-z_]\w*\s*::\s*)*)(?P<name>\b[A-Za-z_]\w*(?:\s*##\s*\w+)*)"
)
_PASTE_OPERATOR: Final = re.compile(r"\s*##\s*")
_SCOPE_OPERATOR: Final = re.compile(r"\s*::\s*")
_JOINING_USE: Final = re.compile(
    r"\b(?P<name>[A-Za-z_]\w*)\s*\((?P<arguments>\s*\w+\s*(?:,\s*\w+\s*)+)\)"
)
_TABLE_USE: Final = re.compile(
    r"\b(?P<name>[A-Za-z_]\w*)\s*\(\s*(?P<prefix>[A-Za-z_]\w*)\s*,"
    r"\s*(?P<index>\w+)\s*(?P<next>\S)"
)
"""E.g. `JOIN(FOR_EACH_, COUNT(__VA_ARGS__))`, which means one of `FOR_EACH_1`, `FOR_EACH_2`, …;
`JOIN(FOR_EACH, N)` means one of `FOR_EACH1`, `FOR_EACH2`, …
"""
_MAX_PASTED_NAMES: Final = 256
"""Names that one macro may make: a stranger's macros may be many, and so their names."""
_MAX_TABLE_ENTRIES: Final = 1_024
_MAX_TABLE_USES: Final = 256
"""Uses of tables that one declaration leads to; each is held against all macros."""
_MAX_STEPS: Final = 8
"""Macros that stand for the next one."""
_MAX_NAMES: Final = 64
"""Names that are taken from one macro."""


class _NamePattern(NamedTuple):
    """A name that a macro makes of its arguments."""

    scope: tuple[str, ...]
    """What stands in front of it."""
    parts: tuple[str, ...]
    """What is pasted: parameters of the macro and plain text."""
    is_called: bool


_MacroNames = tuple[tuple[str, ...], tuple[_NamePattern, ...]]
"""A macro's parameters, and the names that it makes."""


def find_pasted_identifiers(
    source: SourceText,
    start: int,
    end: int,
    macros_by_name: Mapping[str, Sequence[Macro]],
) -> Iterator[Identifier]:
    """Yield the names that the uses of `macros_by_name` macros in a range of a file make."""
    lexemes = source.lexemes
    first = source.lexeme_index(start)
    # the last token of a file opens no argument list
    last = min(source.lexeme_index(end), len(lexemes) - 1)

    for index in range(first, last):
        if lexemes[index + 1].text != "(":
            continue

        for macro in macros_by_name.get(lexemes[index].text, ()):
            yield from _expand_use(source, index, macro)


def _expand_use(source: SourceText, index: int, macro: Macro) -> Iterator[Identifier]:
    """Yield the names that the use of a macro at the token `index` makes."""
    parameters, patterns = _read_macro_names(macro.parameters, macro.body)
    if not patterns:
        return

    closing = source.find_closing_bracket(index + 1)
    if closing <= 0:
        return

    # what stands behind the last parameter is for a pack, and makes no name
    arguments = split_argument_texts(source, source.lexemes[index + 2 : closing])
    argument_by_parameter = dict(zip(parameters, arguments, strict=False))

    for pattern in patterns:
        name = "".join(argument_by_parameter.get(part, part) for part in pattern.parts)
        if name.isidentifier():
            yield Identifier(name, pattern.scope, is_called=pattern.is_called)


def find_pastable_names(macro: Macro, sorted_names: Sequence[str]) -> set[str]:
    """Return those of some names, in order, that a macro may make by pasting.

    `TYPE_##T` may make any name that begins with `TYPE_`, and `T##_kernel` any that ends so,
    whatever the arguments are.
    """
    if "##" not in macro.body:
        return set()

    names: set[str] = set()
    parameters, patterns = _read_macro_names(macro.parameters, macro.body)
    for pattern in patterns:
        # what parameters alone are pasted to may be any name
        if len(pattern.parts) > 1 and not set(pattern.parts) <= set(parameters):
            matching_names = _iter_matching_names(
                pattern.parts, parameters, sorted_names
            )
            names.update(islice(matching_names, _MAX_PASTED_NAMES))

    return names


def _iter_matching_names(
    parts: Sequence[str], parameters: Collection[str], sorted_names: Sequence[str]
) -> Iterator[str]:
    """Yield the names that parts make with any text in place of a macro's parameters."""
    prefix = "" if parts[0] in parameters else parts[0]
    # its time grows with the name's length alone, however many parts a stranger's macro has
    shape = "".join("*" if part in parameters else part for part in parts)
    for name in islice(sorted_names, bisect_left(sorted_names, prefix), None):
        if not name.startswith(prefix):
            return
        if fnmatchcase(name, shape):
            yield name


def find_joined_identifiers(
    macro: Macro, macros_by_name: Mapping[str, Sequence[Macro]]
) -> Iterator[Identifier]:
    """Yield the names that a macro's own text makes by macros that join their arguments.

    `#define HOST_DEVICE JOIN(LIB_, BACKEND, _HOST_DEVICE)` means `LIB_CUDA_HOST_DEVICE` where
    `BACKEND` is `CUDA`: only such names are taken that a macro has.
    """
    for use in _JOINING_USE.finditer(macro.body):
        if use["name"] not in macros_by_name:
            continue

        arguments = use["arguments"].split(",")
        name = "".join(resolve_word(word.strip(), macros_by_name) for word in arguments)
        if name in macros_by_name and name != macro.name:
            yield Identifier(name)


def find_table_names(
    macro: Macro,
    macros_by_name: Mapping[str, Sequence[Macro]],
    searched_uses: set[tuple[str, str]] | None = None,
) -> set[str]:
    """Return the macros of which a macro's own text chooses one by a number that it computes.

    As of the macro repetitions of Boost.Preprocessor: `JOIN(FOR_EACH_, COUNT(__VA_ARGS__))`. An
    entry may lead to any before it. What is among `searched_uses` is not looked for again; this
    macro's are added to them.
    """
    names: set[str] = set()
    if searched_uses is None:
        searched_uses = set()

    for use in _read_table_uses(macro.parameters, macro.body):
        name, prefix = use
        if use in searched_uses or name not in macros_by_name:
            continue
        if len(searched_uses) == _MAX_TABLE_USES:
            break

        searched_uses.add(use)
        if _joins_arguments(name, macros_by_name):
            entries = _iter_table_entries(prefix, macros_by_name)
            names.update(islice(entries, _MAX_TABLE_ENTRIES))

    return names


def _iter_table_entries(
    prefix: str, macros_by_name: Mapping[str, Sequence[Macro]]
) -> Iterator[str]:
    """Yield the macros that a number, or behind `_` any word, makes of a prefix."""
    takes_any_word = prefix.endswith("_") and prefix not in macros_by_name
    for entry in macros_by_name:
        if entry.startswith(prefix) and (
            takes_any_word or entry[len(prefix) :].isdigit()
        ):
            yield entry


@lru_cache(maxsize=4096)
def _read_table_uses(
    written_parameters: tuple[str, ...] | None, body: str
) -> tuple[tuple[str, str], ...]:
    """Return what a macro may join to its prefixes by macros: the macro, and the prefix."""
    parameters = frozenset(map(_name_parameter, written_parameters or ()))
    uses = {
        (use["name"], use["prefix"]): None
        for use in _TABLE_USE.finditer(LINE_SPLICE.sub(" ", body))
        if use["prefix"] not in parameters
        # a plain word is what `find_joined_identifiers` resolves
        and (use["next"] not in "),#" or use["index"] in parameters)
    }
    return tuple(islice(uses, _MAX_NAMES))


def _joins_arguments(name: str, macros_by_name: Mapping[str, Sequence[Macro]]) -> bool:
    """Tell whether a macro pastes its arguments, itself or by the macros that it hands them to."""
    reached = {name}
    pending = {name}
    for _ in range(_MAX_STEPS):
        macros = [macro for word in pending for macro in macros_by_name.get(word, ())]
        if any("##" in macro.body for macro in macros):
            return True
        pending = {word for macro in macros for word in macro.used_names} - reached
        reached |= pending

    return False


def resolve_qualifier(
    identifier: Identifier, macros_by_name: Mapping[str, Sequence[Macro]]
) -> Identifier:
    """Return an identifier with the words that macros in front of its `::` stand for."""
    qualifier = identifier.qualifier
    if not any(word in macros_by_name for word in qualifier):
        return identifier

    words = [resolve_word(word, macros_by_name) for word in qualifier]
    return identifier._replace(qualifier=tuple(words))


def resolve_word(word: str, macros_by_name: Mapping[str, Sequence[Macro]]) -> str:
    """Return the one word that a macro stands for, as far as it stands for one."""
    for _ in range(_MAX_STEPS):
        macros = macros_by_name.get(word, ())
        if not macros or macros[-1].parameters is not None:
            break

        value = macros[-1].body.strip()
        if not value.isidentifier():
            break

        word = value

    return word


@lru_cache(maxsize=4096)
def _read_macro_names(
    written_parameters: tuple[str, ...] | None, body: str
) -> _MacroNames:
    """Return the parameters of a macro, and those of its names that depend on them."""
    may_make_names = "##" in body or "::" in body
    if written_parameters is None or not may_make_names:
        return (), ()

    # only what depends on arguments, or is made of parts, is no word of the body itself
    parameters = tuple(map(_name_parameter, written_parameters))
    body = LINE_SPLICE.sub(" ", body)

    patterns: dict[_NamePattern, None] = {}

    for match in _QUALIFIED_NAME.finditer(body):
        pattern = _read_name_pattern(match, body)
        is_pasted = len(pattern.parts) > 1
        is_qualified_parameter = pattern.scope and pattern.parts[0] in parameters

        if is_pasted or is_qualified_parameter:
            patterns[pattern] = None

    return parameters, tuple(islice(patterns, _MAX_NAMES))


def _name_parameter(parameter: str) -> str:
    """Return what a macro's text calls a parameter: the rest of them are `__VA_ARGS__`, or have
    a name in front of their dots.
    """
    return "__VA_ARGS__" if parameter == "..." else parameter.removesuffix("...")


def _read_name_pattern(match: re.Match[str], body: str) -> _NamePattern:
    scope = tuple(part for part in _SCOPE_OPERATOR.split(match["scope"]) if part)
    parts = tuple(_PASTE_OPERATOR.split(match["name"]))
    # a name in front of `(` or `<` may be found by the types of its arguments
    is_called = body[match.end() :].lstrip().startswith(("(", "<"))

    return _NamePattern(scope, parts, is_called)
