"""Find preprocessor branches that the HIP compiler never takes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from crawler.cpp.directives import OPENING
from crawler.cpp.identifiers import WORD
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.cpp.preprocessor.conditions import (
    MacroValue,
    both,
    either,
    evaluate_condition,
    negate,
)
from crawler.hip.predefined_macros import (
    HIP_COMPILER_MACROS,
    NEVER_DEFINED_MACRO,
    may_be_predefined,
)

EMULATED_CUDA_ARCH: Final = 700
"""The CUDA architecture that an AMD device is taken for; `<kernelset/hip.h>` says the same."""

# Masked code has no comments and no spliced lines, so a directive is one line of it. Definitions
# count as well as conditionals, which `crawler.cpp.directives` alone knows.
_DIRECTIVE: Final = re.compile(
    r"^[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif|define|undef)\b[ \t]*([^\n]*)$",
    re.MULTILINE,
)
_DEVICE_PASS_MACROS: Final = ("__CUDA_ARCH__", "__CUDACC__", "__NVCC__")


def find_dead_ranges(
    source: MaskedSource, *, is_whole_file: bool = True
) -> list[tuple[int, int]]:
    """Return where the parts begin and end that are never seen; in a text that is not
    `is_whole_file` HIP's own are, too.
    """
    dead_ranges: list[tuple[int, int]] = []
    directives = list(_DIRECTIVE.finditer(source.code))
    macros = _Macros(
        is_whole_file=is_whole_file, defined_names=_list_defined_names(directives)
    )
    # For each open conditional: what holds around it, and whether a branch was taken so far.
    open_conditionals: list[tuple[MacroValue, MacroValue]] = []
    is_seen: MacroValue = 1
    done = 0
    for directive in directives:
        if is_seen == 0:
            dead_ranges.append((done, directive.start()))

        done = directive.end()
        keyword, text = directive[1], directive[2].strip()
        if keyword in ("define", "undef"):
            macros.note_definition(keyword, text, is_seen)
        elif keyword in OPENING:
            truth = macros.evaluate(keyword, text)
            open_conditionals.append((is_seen, truth))
            is_seen = both(is_seen, truth)
        elif open_conditionals:
            is_seen = _enter_branch(open_conditionals, keyword, text, macros)

    return dead_ranges


def exclude_ranges(
    ranges: Sequence[tuple[int, int]], findings: Iterable[tuple[str, int]]
) -> Iterator[tuple[str, int]]:
    """Yield those findings that stand in none of the ranges, which are in order."""
    ends = [end for _, end in ranges]
    for kind, offset in findings:
        following = bisect_right(ends, offset)
        if following == len(ranges) or offset < ranges[following][0]:
            yield kind, offset


def _enter_branch(
    open_conditionals: list[tuple[MacroValue, MacroValue]],
    keyword: str,
    text: str,
    macros: _Macros,
) -> MacroValue:
    """Return what holds behind `#elif`, `#else` or `#endif`."""
    # three values: a branch behind one that may be taken may be taken itself
    outer, was_taken = open_conditionals.pop()
    if keyword == "endif":
        return outer

    truth = macros.evaluate("if", text) if keyword == "elif" else 1
    open_conditionals.append((outer, either(was_taken, truth)))

    return both(outer, both(negate(was_taken), truth))


def _list_defined_names(directives: Iterable[re.Match[str]]) -> frozenset[str]:
    """Return every name that is defined somewhere."""
    names: set[str] = set()
    for directive in directives:
        if directive[1] == "define":
            names.add(_first_name(directive[2]))

    return frozenset(names)


def _first_name(text: str) -> str:
    name = WORD.match(text)
    return name[0] if name else ""


class _Macros:
    """What a text tells of macros up to some place; one that is no whole file finds defined
    what it defines itself.
    """

    def __init__(self, *, is_whole_file: bool, defined_names: frozenset[str]) -> None:
        self._is_whole_file = is_whole_file
        self._defined_somewhere = defined_names
        self._defined_in_dead_code: set[str] = set()
        self._values: dict[str, MacroValue] = {}

    def note_definition(self, keyword: str, text: str, is_seen: MacroValue) -> None:
        """Take notice of a definition in a branch that is seen, or not, or perhaps."""
        name = _first_name(text)
        if is_seen == 0:
            self._defined_in_dead_code.add(name)
            return

        value = None
        if keyword == "define" and is_seen:
            body = text[len(name) :].strip()
            value = int(body) if body.isdecimal() else None

        self._values[name] = value
        self._defined_in_dead_code.discard(name)

    def evaluate(self, keyword: str, text: str) -> MacroValue:
        """Return whether `#if`, `#ifdef` or `#ifndef` holds."""
        if keyword == "if":
            return evaluate_condition(text, self)

        truth = self.is_defined(_first_name(text))
        return negate(truth) if keyword == "ifndef" else truth

    def is_defined(self, name: str) -> MacroValue:
        """Return whether a macro is defined."""
        # the port renames these to what HIP's compiler defines
        if name in _DEVICE_PASS_MACROS:
            return 1
        if name == NEVER_DEFINED_MACRO or name in self._defined_in_dead_code:
            return 0
        if HIP_COMPILER_MACROS.fullmatch(name):
            return None if self._is_whole_file else 0
        if self._is_undefined(name):
            return 0

        return 1 if self._values.get(name) is not None else None

    def value(self, name: str) -> MacroValue:
        """Return what a macro stands for."""
        if name == "__CUDA_ARCH__":
            return EMULATED_CUDA_ARCH
        if name in self._defined_in_dead_code or self._is_undefined(name):
            return 0

        return self._values.get(name)

    def _is_undefined(self, name: str) -> bool:
        # in a whole file a build may define any name: `-DUSE_FAST_PATH`
        if self._is_whole_file or name in self._defined_somewhere:
            return False

        return not may_be_predefined(name)
