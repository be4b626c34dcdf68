"""Find preprocessor branches that the HIP compiler never takes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from crawler.cpp.masked_source import MaskedSource
from crawler.hip import predefined_macros
from crawler.port.tables import HIP_COMPILER_MACROS, NEVER_DEFINED_MACRO

EMULATED_CUDA_ARCH: Final = 700
"""The CUDA architecture that an AMD device is taken for; `<kernelset/hip.h>` says the same."""

_DIRECTIVE: Final = re.compile(
    r"^[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif|define|undef)\b[ \t]*([^\n]*)$",
    re.MULTILINE,
)
_NAME: Final = re.compile(r"\w+")
_WORD: Final = re.compile(r"&&|\|\||[<>=!]=|[<>!()]|\w+|\S")
_NUMBER: Final = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_DEEPEST: Final = 60
_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}

MacroValue = int | None
"""A number, zero for false, or `None` where the text does not tell."""


def find_dead_ranges(
    source: MaskedSource, *, is_whole_file: bool = True
) -> list[tuple[int, int]]:
    """Return where the parts begin and end that are never seen; in a text that is not
    `is_whole_file` HIP's own are, too.
    """
    found = []
    directives = list(_DIRECTIVE.finditer(source.code))
    names = _Names(whole=is_whole_file, defined=_defined(directives))
    states: list[tuple[MacroValue, MacroValue]] = []
    now: MacroValue = 1
    done = 0
    for directive in directives:
        if now == 0:
            found.append((done, directive.start()))
        done = directive.end()
        kind, rest = directive[1], directive[2].strip()
        if kind in ("define", "undef"):
            names.note(kind, rest, now)
        elif kind in ("if", "ifdef", "ifndef"):
            truth = names.condition(kind, rest)
            states.append((now, truth))
            now = _both(now, truth)
        elif states:
            now = _next(states, kind, rest, names)
    return found


def _next(
    states: list[tuple[MacroValue, MacroValue]], kind: str, rest: str, names: _Names
) -> MacroValue:
    """Return what holds behind `#elif`, `#else` or `#endif`."""
    around, taken = states.pop()
    if kind == "endif":
        return around
    truth = names.condition("if", rest) if kind == "elif" else 1
    states.append((around, _either(taken, truth)))
    return _both(around, _both(_not(taken), truth))


def _defined(directives: Iterable[re.Match[str]]) -> frozenset[str]:
    """Return every name that is defined somewhere."""
    bodies = (directive[2] for directive in directives if directive[1] == "define")
    return frozenset(map(_first, bodies))


def _first(text: str) -> str:
    found = _NAME.match(text)
    return found[0] if found else ""


class _Names:
    """What is known of macros at a place of a text; one that is not `whole` finds defined what
    it defines itself.
    """

    def __init__(self, *, whole: bool, defined: frozenset[str]) -> None:
        self._whole = whole
        self._somewhere = defined
        self._only_shut: set[str] = set()
        self._defined: dict[str, MacroValue] = {}

    def note(self, kind: str, rest: str, now: MacroValue) -> None:
        """Take notice of a definition in a branch that is seen, or not, or perhaps."""
        name = _first(rest)
        if now == 0:
            self._only_shut.add(name)
        elif kind == "define" and now:
            body = rest[len(name) :].strip()
            self._defined[name] = int(body) if body.isdigit() else None
            self._only_shut.discard(name)
        else:
            self._defined[name] = None
            self._only_shut.discard(name)

    def condition(self, kind: str, text: str) -> MacroValue:
        """Return whether `#if`, `#ifdef` or `#ifndef` holds."""
        if kind == "if":
            return _Condition(_WORD.findall(text), self).read()
        told = self.is_defined(_first(text))
        return _not(told) if kind == "ifndef" else told

    def is_defined(self, name: str) -> MacroValue:
        """Return whether a macro is defined."""
        if name in ("__CUDA_ARCH__", "__CUDACC__", "__NVCC__"):
            return 1
        if name == NEVER_DEFINED_MACRO or name in self._only_shut:
            return 0
        if HIP_COMPILER_MACROS.fullmatch(name):
            return None if self._whole else 0
        if self._is_undefined(name):
            return 0
        return 1 if self._defined.get(name) is not None else None

    def value(self, name: str) -> MacroValue:
        """Return what a macro stands for."""
        if name == "__CUDA_ARCH__":
            return EMULATED_CUDA_ARCH
        if name in self._only_shut or self._is_undefined(name):
            return 0
        return self._defined.get(name)

    def _is_undefined(self, name: str) -> bool:
        return (
            not self._whole
            and name not in self._somewhere
            and not predefined_macros.may_be_predefined(name)
        )


class _Condition:
    """A condition, read from the left; what is not understood is not known."""

    def __init__(self, words: Sequence[str], names: _Names) -> None:
        self._words = iter((*words, ""))
        self._names = names
        self._word = next(self._words)
        self._depth = 0

    def read(self) -> MacroValue:
        told = self._any()
        return told if not self._word else None

    def _advance(self) -> str:
        word, self._word = self._word, next(self._words, "")
        return word

    def _any(self) -> MacroValue:
        told = self._all()
        while self._word == "||":
            self._advance()
            told = _either(told, self._all())
        return told

    def _all(self) -> MacroValue:
        told = self._compared()
        while self._word == "&&":
            self._advance()
            told = _both(told, self._compared())
        return told

    def _compared(self) -> MacroValue:
        left = self._one()
        if self._word not in _COMPARISONS:
            return left
        compare = _COMPARISONS[self._advance()]
        right = self._one()
        return None if left is None or right is None else int(compare(left, right))

    def _one(self) -> MacroValue:
        word = self._advance()
        if word in ("!", "("):
            return self._inner(word)
        if word == "defined":
            return self._names.is_defined(self._named())
        number = _NUMBER.fullmatch(word)
        return (
            int(number[1], 0 if number[1][:2] in ("0x", "0X") else 10)
            if number
            else self._names.value(word)
        )

    def _inner(self, sign: str) -> MacroValue:
        self._depth += 1
        if self._depth > _DEEPEST:
            return None
        if sign == "!":
            return _not(self._one())
        told = self._any()
        return told if self._advance() == ")" else None

    def _named(self) -> str:
        if self._word != "(":
            return self._advance()
        self._advance()
        name = self._advance()
        return name if self._advance() == ")" else ""


def _not(told: MacroValue) -> MacroValue:
    return None if told is None else int(not told)


def _both(one: MacroValue, other: MacroValue) -> MacroValue:
    if one == 0 or other == 0:
        return 0
    return None if one is None or other is None else 1


def _either(one: MacroValue, other: MacroValue) -> MacroValue:
    return _not(_both(_not(one), _not(other)))


def exclude_ranges(
    ranges: Sequence[tuple[int, int]], findings: Iterable[tuple[str, int]]
) -> Iterator[tuple[str, int]]:
    """Yield those findings that stand in none of the places, which are in order."""
    ends = [end for _, end in ranges]
    for kind, at in findings:
        next_one = bisect_right(ends, at)
        if next_one == len(ranges) or at < ranges[next_one][0]:
            yield kind, at
