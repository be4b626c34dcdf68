"""Starlark values and how they are joined and formatted, each operation paid from a budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_STRING_CHARS: Final = 1 << 20
"""Characters of a string."""
MAX_NUMBER: Final = 1 << 62
_MAX_FACTOR: Final = 1 << 31
CHARS_A_STEP: Final = 64
"""Characters that are copied or searched for one step of the budget."""
# the fields that Starlark's `%` and `format` fill in a string
_PERCENT_FIELD: Final = re.compile(r"%(?:\((\w+)\))?([srd%])")
_BRACE_FIELD: Final = re.compile(r"\{\{|\}\}|\{(\w*)\}")
_MAX_INDEX_DIGITS: Final = 4


class BudgetExceeded(Exception):
    """A file asks for more steps than any that people write."""


class Unsupported(Exception):
    """Something that this subset does not have, or that the file got wrong."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that only the real tool knows, by the name that it goes by."""

    name: str = ""


@dataclass(slots=True)
class Budget:
    """Steps that a file may take; whatever is made or walked is paid for before."""

    steps: int = 200_000

    def spend(self, steps: int = 1) -> None:
        """Take `steps` away. Raises `BudgetExceeded` where fewer are left."""
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceeded


def add_values(left_value: Any, right_value: Any, budget: Budget) -> Any:
    """Join two lists, strings or dictionaries, or add two numbers.

    Where one side is unknown, a list or a dictionary on the other side is the result.
    """
    if isinstance(left_value, Unknown) or isinstance(right_value, Unknown):
        # e.g. `["a.cu"] + if_mkl(["b.cu"])`: a part of the sources is better than none
        known_side = left_value
        if isinstance(left_value, Unknown):
            known_side = right_value

        is_container = isinstance(known_side, list | tuple | dict)
        return known_side if is_container else Unknown()

    size = _get_size(left_value) + _get_size(right_value)
    if _are_both(left_value, right_value, (list, tuple)):
        budget.spend(size)
        return [*left_value, *right_value]

    if _are_both(left_value, right_value, (dict,)):
        budget.spend(size)
        return {**left_value, **right_value}

    if _are_both(left_value, right_value, (str,)):
        return pay_for_string(size, lambda: left_value + right_value, budget)

    return _calculate(left_value, right_value, lambda: left_value + right_value)


def multiply_values(left_value: Any, right_value: Any, budget: Budget) -> Any:
    """Repeat a list or a string, or multiply two numbers."""
    # 2 * "ab" is "ab" * 2
    if isinstance(left_value, int) and not isinstance(right_value, int):
        left_value, right_value = right_value, left_value

    if isinstance(left_value, str | list | tuple) and isinstance(right_value, int):
        size = len(left_value) * max(right_value, 0)
        if not isinstance(left_value, str):
            # an element takes more memory than a character
            size *= CHARS_A_STEP

        return pay_for_string(size, lambda: left_value * right_value, budget)

    return _calculate(left_value, right_value, lambda: left_value * right_value)


def format_percent(text: Any, values: Any, budget: Budget) -> Any:
    """Fill in `%s`, `%d`, `%r` and `%(name)s`, or take the rest of a division.

    Widths are not supported: they are how a short text becomes a long one.
    """
    if not isinstance(text, str):
        return _calculate(text, values, lambda: text % values)

    remaining_values = iter(values if isinstance(values, tuple) else (values,))

    def format_field(field: re.Match[str]) -> str:
        name, conversion = field.groups()
        if conversion == "%":
            return "%"
        if name:
            return to_text(values.get(name) if isinstance(values, dict) else None)

        return to_text(next(remaining_values, None))

    return _replace_fields(_PERCENT_FIELD, format_field, text, budget)


def format_braces(
    text: str, positional: tuple[Any, ...], named: Mapping[str, Any], budget: Budget
) -> str:
    """Fill in `{}`, `{0}` and `{name}`."""
    remaining_values = iter(positional)

    def format_field(field: re.Match[str]) -> str:
        name = field.group(1)
        if name is None:
            # `{{` and `}}` stand for one brace
            return field.group()[0]

        if name.isdecimal():
            index = int(name[:_MAX_INDEX_DIGITS])
            return to_text(positional[index] if index < len(positional) else None)

        return to_text(named.get(name) if name else next(remaining_values, None))

    return _replace_fields(_BRACE_FIELD, format_field, text, budget)


def to_text(value: Any) -> str:
    """Return a string, number or truth value as text. Raises `Unsupported` for anything else."""
    if isinstance(value, str | int):
        return str(value)

    raise Unsupported


def iter_items(value: Any) -> Iterator[Any]:
    """Yield the elements of a list or the keys of a dictionary, none of anything else."""
    return iter(value if isinstance(value, list | tuple | dict) else ())


def pay_for_string(size: int, make: Callable[[], Any], budget: Budget) -> Any:
    """Return what `make` makes once its `size` in characters is paid for.

    Raises `BudgetExceeded` for strings of over 1 MiB.
    """
    if size > MAX_STRING_CHARS:
        raise BudgetExceeded

    budget.spend(1 + size // CHARS_A_STEP)

    return make()


def _replace_fields(
    pattern: re.Pattern[str],
    format_field: Callable[[re.Match[str]], str],
    text: str,
    budget: Budget,
) -> str:
    pieces: list[str] = []
    size = 0
    position = 0

    for field in pattern.finditer(text):
        text_before = text[position : field.start()]
        value = format_field(field)
        pieces += (text_before, value)
        position = field.end()

        size += len(text_before) + len(value)
        budget.spend(1 + len(value) // CHARS_A_STEP)
        if size > MAX_STRING_CHARS:
            raise BudgetExceeded

    pieces.append(text[position:])

    return "".join(pieces)


def _are_both(left_value: Any, right_value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(left_value, types) and isinstance(right_value, types)


def _get_size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple | dict) else 0


def _calculate(left_value: Any, right_value: Any, operation: Callable[[], Any]) -> Any:
    if not _are_both(left_value, right_value, (int,)):
        raise Unsupported
    if max(abs(left_value), abs(right_value)) >= _MAX_FACTOR:
        raise Unsupported

    try:
        result = operation()
    except ArithmeticError as error:
        raise Unsupported from error

    return result if abs(result) < MAX_NUMBER else Unknown()
