"""Tell what a kernel does with what its pointers lead to, as far as its own text shows it.

Only plain uses are understood, and all of a pointer's have to be: one that is passed on, kept
under another name, or hidden in a macro leaves it unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Flag
from typing import Final

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.extract.describe.measures import blank_comments
from crawler.model import Kernel

# directives of a unit, whose lines may be continued
_MACRO: Final = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")
# the head of a function of the unit itself, which may change what it takes by reference
_OWN_FUNCTION: Final = re.compile(
    r"\b(?!(?:if|for|while|switch)\b)(\w+)[ \t]*"
    r"\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)[^;{}()]*\{"
)
_OPENING: Final = {"[": "]", "(": ")"}
_EDGE: Final = ("",) * 4
_NULLS: Final = frozenset({"nullptr", "NULL", "0"})
_ARITHMETIC: Final = frozenset("+-*/%&|^")
_BEFORE_OPERANDS: Final = frozenset(";{}(=,<>!?:") | {"return"}
_LOADS: Final = frozenset({"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"})
_WRITING_CALLS: Final = ("swap", "store", "exchange", "atomic")


class PointerUse(Flag):
    """What is done with the elements behind a pointer; both may be."""

    READ = 1
    WRITTEN = 2


_UPDATED: Final = PointerUse.READ | PointerUse.WRITTEN


def find_pointer_uses(kernel: Kernel) -> dict[str, PointerUse]:
    """Return the uses of each pointer parameter of which all are understood."""
    code = blank_comments(kernel.source)
    words = [
        token.text for token in tokenize(code) if token.kind is not TokenKind.SPACE
    ]
    if "{" not in words:
        return {}

    # whoever looks a few words back or ahead finds some
    body = [*_EDGE, *words[words.index("{") :], *_EDGE]
    unit_code = blank_comments(kernel.unit.source) if kernel.unit else ""
    hidden = {
        word for macro in _MACRO.finditer(unit_code) for word in _WORD.findall(macro[0])
    }
    own_functions = set(_OWN_FUNCTION.findall(unit_code))

    uses_by_name: dict[str, PointerUse] = {}
    for parameter in kernel.parameters:
        is_plain = parameter.canonical_type.count("*") == 1
        if not is_plain or parameter.name in hidden:
            continue
        uses = PointerUse(0)
        for use in _iter_uses(body, parameter.name, own_functions):
            if use is None:
                break
            uses |= use
        else:
            if uses:
                uses_by_name[parameter.name] = uses

    return uses_by_name


def _iter_uses(
    body: Sequence[str], name: str, own_functions: set[str]
) -> Iterator[PointerUse | None]:
    """Yield each use of a pointer, an empty one where it is only held against null; `None` for
    one that is not understood.
    """
    for place, word in enumerate(body):
        if word != name or _is_member(body, place):
            continue
        if _is_null_test(body, place) or _is_moved(body, place):
            yield PointerUse(0)
        elif body[place + 1] == "[" and not _is_declared(body, place):
            yield _judge_element(body, place, own_functions)
        elif body[place + 1] == "->":
            yield _judge_access(body, place, place + 1, own_functions)
        elif _is_dereference(body, place):
            yield _judge_access(body, place - 1, place + 1, own_functions)
        elif body[place - 1] == "(":
            yield _judge_call(body[place - 2])
        else:
            yield None


def _is_member(body: Sequence[str], place: int) -> bool:
    return body[place - 1] in {".", "->", "::"}


def _is_declared(body: Sequence[str], place: int) -> bool:
    """Tell whether a variable of the same name hides the parameter from here on."""
    before = body[place - 1]
    return before.isidentifier() and before not in {"return", "else", "do", "case"}


def _is_moved(body: Sequence[str], place: int) -> bool:
    """Tell whether the pointer itself is set forward, as in `p += n`."""
    begins = body[place - 1] in {";", "{", "}", ")"}
    return begins and list(body[place + 1 : place + 3]) in (["+", "="], ["+", "+"])


def _is_null_test(body: Sequence[str], place: int) -> bool:
    before, after = body[place - 1], body[place + 1 : place + 4]
    if after[:2] in (["=", "="], ["!", "="]):
        return after[2] in _NULLS
    is_condition = before == "(" and body[place - 2] == "if" and after[0] == ")"
    return is_condition or (before == "!" and after[0] in {")", "&", "|"})


def _is_dereference(body: Sequence[str], place: int) -> bool:
    """Tell whether `*p` stands there, and no product or declaration."""
    if body[place - 1] != "*":
        return False
    before = body[place - 2]
    # nothing is assigned to a product
    if body[place + 1] == "=" != body[place + 2]:
        return not before.isidentifier()
    return before in _BEFORE_OPERANDS or before in _ARITHMETIC


def _judge_element(
    body: Sequence[str], place: int, own_functions: set[str]
) -> PointerUse | None:
    end = _skip_brackets(body, place + 1)
    if body[place - 1] == "&":
        # the address of an element goes to what loads it or changes it at once
        return _judge_call(body[place - 3]) if body[place - 2] == "(" else None
    return _judge_access(body, place, end, own_functions)


def _judge_access(
    body: Sequence[str], start: int, end: int, own_functions: set[str]
) -> PointerUse | None:
    """Judge an element whose words are those from `start` to `end`."""
    while body[end] == "[" or (body[end] in {".", "->"} and body[end + 2] != "("):
        end = _skip_brackets(body, end) if body[end] == "[" else end + 2
    behind = list(body[end : end + 3])
    if behind[0] == "=" and behind[1] != "=":
        return PointerUse.WRITTEN
    is_shift = behind[:2] in (["<", "<"], [">", ">"]) and behind[2] == "="
    is_compound = behind[0] in _ARITHMETIC and behind[1] == "="
    is_step = behind[:2] in (["+", "+"], ["-", "-"])
    is_prefix_step = list(body[start - 2 : start]) in (["+", "+"], ["-", "-"])
    if is_shift or is_compound or is_step or is_prefix_step:
        return _UPDATED

    # a method, or a reference to the element, may change it
    is_reference = list(body[start - 3 : start : 2]) == ["&", "="]
    if behind[0] in {".", "->"} or is_reference:
        return None
    return _judge_argument(body, start, behind[0], own_functions)


def _judge_argument(
    body: Sequence[str], start: int, behind: str, own_functions: set[str]
) -> PointerUse | None:
    """Judge an element that is read unless it is passed by reference."""
    if body[start - 1] not in {"(", ","} or behind not in {")", ","}:
        return PointerUse.READ

    callee = _find_callee(body, start)
    is_known = callee not in own_functions and not any(
        word in callee.lower() for word in _WRITING_CALLS
    )
    return PointerUse.READ if is_known else None


def _judge_call(callee: str) -> PointerUse | None:
    if callee in _LOADS:
        return PointerUse.READ
    return _UPDATED if callee.startswith("atomic") else None


def _find_callee(body: Sequence[str], place: int) -> str:
    """Return the word in front of the bracket in which a place stands."""
    depth = 0
    for position in range(place - 1, 0, -1):
        depth += (body[position] in _OPENING.values()) - (body[position] in _OPENING)
        if depth < 0:
            return body[position - 1]
    return ""


def _skip_brackets(body: Sequence[str], place: int) -> int:
    """Return the place behind the bracket that opens at a place."""
    depth = 0
    for position in range(place, len(body)):
        depth += (body[position] in _OPENING) - (body[position] in _OPENING.values())
        if depth == 0:
            return position + 1
    return len(body) - len(_EDGE)
