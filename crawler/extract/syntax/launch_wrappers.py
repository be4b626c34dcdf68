"""Functions that launch a kernel passed to them as a parameter."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from crawler.cpp.files.functions import (
    FunctionDefinition,
    find_enclosing_function,
    find_functions,
)
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.files.word_index import find_word_occurrences
from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.syntax.call_arguments import (
    OffsetRange,
    find_argument_ranges,
    split_list,
)
from crawler.extract.syntax.launch_syntax import LaunchText

_MAX_FORWARDING_CALLS: Final = 3
_ANY_PARAMETER: Final = -1
"""In place of a parameter's index: it may be any."""
_LaunchedParameters = defaultdict[str, set[int]]
"""By a function's name, which of its parameters it launches."""
_Lambda = tuple[int, str, frozenset[str]]
"""Where the head of a lambda ends in the body round it, its name, the words of its parameters."""
# `auto launch = [&](auto kernel, int n)`: in text that no compiler has accepted
_LAMBDA_HEAD: Final = re.compile(r"(\w+)\s*=\s*\[[^\]]*\]\s*\(([^)]*)\)")
ParameterBindings = tuple[tuple[str, str], ...]
"""Parameters of a function with what a call gives it, as written.

A pack's name occurs once for each of its arguments.
"""


class LaunchWrappers:
    """The functions of a unit's files that launch a parameter, or pass one on to such a function.

    They are known by their text alone.
    """

    def __init__(
        self, sources: SourceFiles, launches: Mapping[str, Sequence[LaunchText]]
    ) -> None:
        self._sources = sources
        launched: _LaunchedParameters = defaultdict(set)

        for path, launch_texts in launches.items():
            for name, index in _find_launching(sources[path], launch_texts):
                launched[name].add(index)

        if launched:
            # a wrapper may be called by a wrapper of its own
            for _ in range(_MAX_FORWARDING_CALLS):
                self._add_forwarding(launches, launched)

        self.names: Final = frozenset(launched)

    def call_argument_ranges(self, path: str, offset: int) -> tuple[OffsetRange, ...]:
        """Return the ranges of the arguments of the call whose function's name is at `offset`."""
        source = self._sources[path]
        return find_argument_ranges(source, source.lexeme_index(offset))

    def call_argument_texts(self, path: str, offset: int) -> tuple[str, ...]:
        """Return the arguments of that call as written."""
        source = self._sources[path]
        texts: list[str] = []

        for start, end in self.call_argument_ranges(path, offset):
            text = source.text_between(start, end)
            texts.append(text.strip())

        return tuple(texts)

    def _add_forwarding(
        self, paths: Iterable[str], launched: _LaunchedParameters
    ) -> None:
        """Add the functions that pass a parameter on to one of those already known."""
        forwarding: list[tuple[str, int]] = []
        for path in paths:
            forwarding += _find_forwarding(self._sources[path], launched)

        for name, index in forwarding:
            launched[name].add(index)


def pair_parameters(
    parameter_names: Sequence[str], argument_texts: Sequence[str]
) -> ParameterBindings:
    """Return parameters with what a call gives them.

    Arguments beyond the last parameter go to that one, which is then a pack.
    """
    if not parameter_names:
        return ()

    # `f(int a, Args... args)`: the third argument is one more for `args`
    last = len(parameter_names) - 1
    return tuple(
        (parameter_names[min(index, last)], text)
        for index, text in enumerate(argument_texts)
    )


def rebind_to_caller(
    inner: ParameterBindings, outer: ParameterBindings
) -> ParameterBindings:
    """Return what parameters are bound to, in the words of the caller's caller.

    Where nothing is bound yet, that is `outer`.
    """
    if not inner:
        return outer

    rebound: list[tuple[str, str]] = []
    for name, argument in inner:
        for text in _substitute(argument, outer):
            rebound.append((name, text))

    return tuple(rebound)


def substitute_parameters(
    arguments: Iterable[str], bindings: ParameterBindings
) -> tuple[str, ...]:
    """Return arguments with parameters, and packs of them that are spread, as a call gives them."""
    substituted: list[str] = []
    for argument in arguments:
        substituted += _substitute(argument, bindings)

    return tuple(substituted)


def _substitute(argument: str, bindings: ParameterBindings) -> tuple[str, ...]:
    names = {argument}
    if argument.endswith("..."):
        # e.g. `std::forward<Args>(args)...`
        names = set(IDENTIFIER.findall(argument))

    texts = tuple(text for name, text in bindings if name in names)
    return texts or (argument,)


def _find_launching(
    source: SourceText, launch_texts: Sequence[LaunchText]
) -> Iterator[tuple[str, int]]:
    """Yield the functions that launch a parameter, with that parameter's index."""
    # a function may launch its kernel two hundred times, a branch for each size
    lambdas_by_function: dict[int, list[_Lambda]] = {}
    for launch_text in launch_texts:
        if launch_text.is_in_macro:
            continue

        function = find_enclosing_function(source, launch_text.start)
        if function is None:
            continue

        name = launch_text.name
        # what stands in front of the list is no parameter
        parameters_start = source.raw.find("(", function.start)

        if name in source.names_between(parameters_start, function.body_start):
            index = _find_parameter_index(source, function, name)
            yield _unqualified_name(function), index

        # a lambda in front of the launch that has a parameter of that name
        lambdas = lambdas_by_function.get(function.body_start)
        if lambdas is None:
            body = source.raw[function.body_start : function.end]
            lambdas = list(_iter_lambdas(body))
            lambdas_by_function[function.body_start] = lambdas

        body_length = launch_text.start - function.body_start
        for head_end, lambda_name, parameters in lambdas:
            if head_end <= body_length and name in parameters:
                yield lambda_name, _ANY_PARAMETER


def _iter_lambdas(body: str) -> Iterator[_Lambda]:
    """Yield the named lambdas of a function's body."""
    for match in _LAMBDA_HEAD.finditer(body):
        yield match.end(), match[1], frozenset(IDENTIFIER.findall(match[2]))


def _find_forwarding(
    source: SourceText, launched: _LaunchedParameters
) -> Iterator[tuple[str, int]]:
    """Yield the functions that pass a parameter on, with that parameter's index."""
    if not any(name in source.raw for name in launched):
        return

    for function, offsets in _find_callers(source, frozenset(launched)):
        arguments = list(_iter_launched_arguments(source, offsets, launched))
        if not arguments:
            continue

        own_names = source.names_between(function.start, function.body_start)
        for argument in arguments:
            if argument in own_names:
                index = _find_parameter_index(source, function, argument)
                yield _unqualified_name(function), index


def _find_callers(
    source: SourceText, names: frozenset[str]
) -> Iterator[tuple[FunctionDefinition, list[int]]]:
    """Yield the functions in whose bodies some of these names stand, and where."""
    occurrences = find_word_occurrences(source, names)
    if not occurrences:
        return

    for function in find_functions(source):
        first = bisect_left(occurrences, (function.body_start, ""))
        last = bisect_left(occurrences, (function.end, ""))

        if first == last:
            continue

        offsets = [offset for offset, _ in occurrences[first:last]]
        yield function, offsets


def _iter_launched_arguments(
    source: SourceText, offsets: Iterable[int], launched: _LaunchedParameters
) -> Iterator[str]:
    """Yield what calls of known functions are given for the parameters that those launch."""
    for offset in offsets:
        index = source.lexeme_index(offset)
        name = source.lexemes[index]
        if name.offset != offset:
            # the word stands in a comment or a string
            continue

        ranges = find_argument_ranges(source, index)
        launched_indices = launched.get(name.text, set())

        launches_any = _ANY_PARAMETER in launched_indices

        for argument_index, (start, end) in enumerate(ranges):
            if launches_any or argument_index in launched_indices:
                # `&kernel`, or a parameter that is passed on
                text = source.raw[start:end]
                yield text.strip("&* \n")


def _find_parameter_index(
    source: SourceText, function: FunctionDefinition, parameter: str
) -> int:
    """Return which of a function's parameters has a name.

    `_ANY_PARAMETER` where its text does not tell.
    """
    head = source.lexemes_between(function.start, function.body_start)
    function_name = _unqualified_name(function)

    for lexeme, following in pairwise(head):
        if lexeme.text != function_name or following.text != "(":
            continue

        opening = source.lexeme_index(following.offset)
        parameters = split_list(source, opening)

        for index, part in enumerate(parameters):
            texts = [token.text for token in part]
            if parameter in texts:
                return index

        return _ANY_PARAMETER

    return _ANY_PARAMETER


def _unqualified_name(function: FunctionDefinition) -> str:
    return function.name.rpartition("::")[2]
