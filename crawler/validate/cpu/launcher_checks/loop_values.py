"""The numbers that a launcher's own loop passes to a kernel: `for (int s = 1; s < n; s *= 2)`.

No size in such a place is as good as another: with an `s` of 6 a transform leaves its memory, and
so does one that works on tile 33 of 3.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, drop_blanks_and_comments, tokenize

_COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_STEPS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "*=": operator.mul,
    "/=": operator.floordiv,
    "<<=": operator.lshift,
    ">>=": operator.rshift,
    "+=": operator.add,
    "-=": operator.sub,
}
_COUNTING_STEPS: Final = ("+=", "-=")
_MAX_TURNS: Final = 64
_MAX_FACTOR: Final = 1 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLoop:
    """A loop of host code that changes its number in each turn by a factor, or counts."""

    name: str
    first: str
    """The expression that it begins with."""
    comparison: str
    bound: str
    step: str
    factor: int
    """What is added or taken away, where it counts."""

    @property
    def is_counting(self) -> bool:
        """Whether its turns differ by the same number."""
        return self.step in _COUNTING_STEPS


def find_host_loops(text: str) -> Iterator[HostLoop]:
    """Yield the loops of `text` whose number grows or shrinks by a factor, or is counted."""
    tokens = list(drop_blanks_and_comments(tokenize(text)))
    for position, token in enumerate(tokens[:-1]):
        if token.text != "for" or tokens[position + 1].text != "(":
            continue

        end = closing_token(tokens, position + 1)
        loop = _read_head(tokens[position + 2 : end]) if end > 0 else None
        if loop is not None:
            yield loop


def list_loop_values(
    loop: HostLoop, evaluate_text: Callable[[str], int | None]
) -> frozenset[int] | None:
    """Return what the number of a loop is in its turns; `None` where its ends are not known."""
    value, bound = evaluate_text(loop.first), evaluate_text(loop.bound)
    if value is None or bound is None:
        return None

    values: set[int] = set()
    while _COMPARISONS[loop.comparison](value, bound) and len(values) < _MAX_TURNS:
        # zero times two is a loop without end
        if value in values:
            break
        values.add(value)
        value = _STEPS[loop.step](value, loop.factor)

    return frozenset(values)


def _read_head(tokens: list[Token]) -> HostLoop | None:
    """Return what stands in the brackets of a `for`; `None` for a loop of another kind."""
    words = [token.text for token in tokens]
    if words.count(";") != 2:
        return None

    first_end = words.index(";")
    second_end = words.index(";", first_end + 1)
    beginning, condition = words[:first_end], words[first_end + 1 : second_end]
    name, step, factor = _read_step(tokens[second_end + 1 :])
    if not step or beginning.count("=") != 1 or "," in beginning:
        return None

    equals = beginning.index("=")
    comparison = _join_sign(condition[1:3])
    is_about_name = beginning[equals - 1 : equals] == condition[:1] == [name]
    if not is_about_name or comparison not in _COMPARISONS:
        return None

    return HostLoop(
        name=name,
        first=" ".join(beginning[equals + 1 :]),
        comparison=comparison,
        bound=" ".join(condition[1 + len(comparison) :]),
        step=step,
        factor=factor,
    )


def _read_step(tokens: list[Token]) -> tuple[str, str, int]:
    """Return name, sign and factor of `half *= 2`, or of `++turn`; no sign for another step."""
    words = [token.text for token in tokens]
    for sign in "+-":
        for at in (0, 2):
            if len(tokens) == 3 and words[:at] + words[at + 1 :] == [sign, sign]:
                return words[at], f"{sign}=", 1
    if len(tokens) < 4 or tokens[0].kind is not TokenKind.NAME:
        return "", "", 0

    sign = "".join(token.text for token in tokens[1:-1])
    factor = tokens[-1].text
    is_factor = factor.isascii() and factor.isdecimal() and len(factor) < 5
    if sign not in _STEPS or not is_factor or not 0 < int(factor) <= _MAX_FACTOR:
        return "", "", 0

    return tokens[0].text, sign, int(factor)


def _join_sign(words: list[str]) -> str:
    return "".join(words) if words[1:] == ["="] else "".join(words[:1])
