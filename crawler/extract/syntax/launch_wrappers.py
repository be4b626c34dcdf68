"""Functions that launch a kernel passed to them as a parameter."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.functions import (
    FunctionDefinition,
    find_enclosing_function,
    find_functions,
)
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.cpp.word_index import find_word_occurrences
from crawler.extract.syntax.launch_syntax import LaunchText

_DEEPEST: Final = 3
_LONGEST: Final = 400
_ANY: Final = -1
"""In place of a parameter's index: it may be any."""
_Taken = defaultdict[str, set[int]]
"""By a function's name, which of its parameters it launches."""
OffsetRange = tuple[int, int]
ParameterBindings = tuple[tuple[str, str], ...]
"""Parameters of a function with what a call gives it, as written; a pack's name once for each
of its arguments.
"""


class LaunchWrappers:
    """By their text, the functions of a unit's files that launch a parameter, or pass one on to
    such a function.
    """

    def __init__(
        self, sources: SourceFiles, launches: Mapping[str, Sequence[LaunchText]]
    ) -> None:
        self._sources = sources
        found: _Taken = defaultdict(set)
        for path, texts in launches.items():
            _add(found, _launching(sources[path], texts))
        for _ in range(_DEEPEST if found else 0):
            _add(
                found,
                [
                    one
                    for path in launches
                    for one in self._forwarding(sources[path], found)
                ],
            )
        self.names: Final = frozenset(found)

    def call_argument_ranges(self, path: str, offset: int) -> tuple[OffsetRange, ...]:
        """Return the ranges of the arguments of the call whose function's name stands at
        `offset`.
        """
        source = self._sources[path]
        return _arguments(source, source.lexeme_index(offset))

    def call_argument_texts(self, path: str, offset: int) -> tuple[str, ...]:
        """Return the arguments of that call as written."""
        source = self._sources[path]
        return tuple(
            source.text_between(start, end).strip()
            for start, end in self.call_argument_ranges(path, offset)
        )

    def _forwarding(
        self, source: SourceText, known: _Taken
    ) -> Iterator[tuple[str, int]]:
        if not any(name in source.raw for name in known):
            return
        for function, offsets in _holding(source, frozenset(known)):
            for passed in _passed(source, offsets, known):
                if passed in source.names_between(function.start, function.body_start):
                    yield _last(function), _index(source, function, passed)


def pair_parameters(
    parameter_names: Sequence[str], argument_texts: Sequence[str]
) -> ParameterBindings:
    """Return parameters with what a call gives them; all that is left over goes to the last one."""
    return tuple(
        (parameter_names[min(at, len(parameter_names) - 1)], text)
        for at, text in enumerate(argument_texts)
        if parameter_names
    )


def rebind_to_caller(
    inner: ParameterBindings, outer: ParameterBindings
) -> ParameterBindings:
    """Return what parameters are bound to, told in the words of the caller's caller; `outer`
    where nothing is yet.
    """
    if not inner:
        return outer
    return tuple(
        (name, text)
        for name, written in inner
        for text in substitute_parameters([written], outer)
    )


def substitute_parameters(
    arguments: Iterable[str], bindings: ParameterBindings
) -> tuple[str, ...]:
    """Return arguments with those that are a parameter, or spread out a pack of them, as a call
    gives them.
    """
    return tuple(part for argument in arguments for part in _given(argument, bindings))


def _given(argument: str, bindings: ParameterBindings) -> tuple[str, ...]:
    words = (
        set(IDENTIFIER.findall(argument)) if argument.endswith("...") else {argument}
    )
    return tuple(text for name, text in bindings if name in words) or (argument,)


def _add(found: _Taken, more: Iterable[tuple[str, int]]) -> None:
    for name, index in more:
        found[name].add(index)


def _index(source: SourceText, function: FunctionDefinition, parameter: str) -> int:
    """Return which of a function's parameters has a name; `_ANY` where its text does not tell."""
    head, name = (
        source.lexemes_between(function.start, function.body_start),
        _last(function),
    )
    for at, lexeme in enumerate(head[:-1]):
        if lexeme.text == name and head[at + 1].text == "(":
            first = source.lexeme_index(head[at + 1].offset)
            parts = split_tokens(
                source.lexemes[
                    first + 1 : max(first + 1, source.find_closing_bracket(first))
                ],
                angles=True,
            )
            named = (
                index
                for index, part in enumerate(parts)
                if any(one.text == parameter for one in part)
            )
            return next(named, _ANY)
    return _ANY


def _launching(
    source: SourceText, texts: Sequence[LaunchText]
) -> Iterator[tuple[str, int]]:
    for text in texts:
        function = (
            None if text.is_in_macro else find_enclosing_function(source, text.start)
        )
        if function is None:
            continue
        if text.name in source.names_between(
            source.raw.find("(", function.start), function.body_start
        ):
            yield _last(function), _index(source, function, text.name)
        lambdas = rf"(\w+)\s*=\s*\[[^\]]*\]\s*\([^)]*\b{re.escape(text.name)}\b[^)]*\)"
        yield from (
            (name, _ANY)
            for name in re.findall(
                lambdas, source.raw[function.body_start : text.start]
            )
        )


def _holding(
    source: SourceText, known: frozenset[str]
) -> Iterator[tuple[FunctionDefinition, list[int]]]:
    """Yield the functions in whose bodies some of these names stand, and where."""
    found = find_word_occurrences(source, known)
    for function in find_functions(source) if found else ():
        within = found[
            bisect_left(found, (function.body_start, "")) : bisect_left(
                found, (function.end, "")
            )
        ]
        if within:
            yield function, [offset for offset, _ in within]


def _passed(source: SourceText, offsets: Iterable[int], known: _Taken) -> Iterator[str]:
    """Yield what calls of known functions are given for the parameters that those launch."""
    for offset in offsets:
        at = source.lexeme_index(offset)
        if source.lexemes[at].offset == offset:
            texts = [source.raw[start:end] for start, end in _arguments(source, at)]
            wanted = known.get(source.lexemes[at].text, set())
            yield from (
                text.strip("&* \n")
                for index, text in enumerate(texts)
                if index in wanted or _ANY in wanted
            )


def _arguments(source: SourceText, at: int) -> tuple[OffsetRange, ...]:
    lexemes, opening = source.lexemes, at + 1
    if opening < len(lexemes) and lexemes[opening].text == "<":
        opening = _behind_angles(source, opening)
    if not 0 < opening < len(lexemes) or lexemes[opening].text != "(":
        return ()
    parts = split_tokens(
        lexemes[opening + 1 : max(opening + 1, source.find_closing_bracket(opening))],
        angles=True,
    )
    return tuple((part[0].offset, part[-1].end) for part in parts if part)


def _behind_angles(source: SourceText, at: int) -> int:
    depth = 0
    for position in range(at, min(len(source.lexemes), at + _LONGEST)):
        text = source.lexemes[position].text
        depth += {"<": 1, ">": -1, ">>>": -3}.get(text, 0)
        if depth <= 0:
            return position + 1
        if text in (";", "{"):
            break
    return -1


def _last(function: FunctionDefinition) -> str:
    return function.name.rpartition("::")[2]
