"""Starlark values and their methods, each operation paid from a budget of steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_STRING_CHARS: Final = 1 << 20
"""Characters of a string, and digits are fewer."""
MAX_NUMBER: Final = 1 << 62
_FORMAT: Final = re.compile(r"%(?:\((\w+)\))?([srd%])")
_BRACES: Final = re.compile(r"\{\{|\}\}|\{(\w*)\}")


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
    """Steps that are left; whatever is made or walked is paid for before."""

    steps: int = 200_000

    def spend(self, steps: int = 1) -> None:
        """Take `steps` away. Raises `OverBudget`."""
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceeded


def add_values(left: Any, right: Any, budget: Budget) -> Any:
    """Join what is known of two lists, strings or dictionaries, or add two numbers."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        known = right if isinstance(left, Unknown) else left
        return known if isinstance(known, list | tuple | dict) else Unknown()
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        budget.spend(len(left) + len(right))
        return [*left, *right]
    if isinstance(left, dict) and isinstance(right, dict):
        budget.spend(len(left) + len(right))
        return {**left, **right}
    if isinstance(left, str) and isinstance(right, str):
        return _paid(len(left) + len(right), lambda: left + right, budget)
    return _number(left, right, lambda: left + right)


def multiply_values(left: Any, right: Any, budget: Budget) -> Any:
    """Repeat a list or a string, or multiply two numbers."""
    if isinstance(left, int) and not isinstance(right, int):
        left, right = right, left
    if isinstance(left, str | list | tuple) and isinstance(right, int):
        size = len(left) * max(right, 0)
        return _paid(
            size * (1 if isinstance(left, str) else 64), lambda: left * right, budget
        )
    return _number(left, right, lambda: left * right)


def format_percent(text: Any, values: Any, budget: Budget) -> Any:
    """Fill in `%s`, `%d`, `%r` and `%(name)s`, without widths: those are how a short text
    becomes a long one.
    """
    if not isinstance(text, str):
        return _number(text, values, lambda: text % values)
    given = iter(values if isinstance(values, tuple) else (values,))

    def one(found: re.Match[str]) -> str:
        if found.group(2) == "%":
            return "%"
        if found.group(1):
            return to_text(
                values.get(found.group(1)) if isinstance(values, dict) else None
            )
        return to_text(next(given, None))

    return _filled(_FORMAT, one, text, budget)


def format_braces(
    text: str, positional: tuple[Any, ...], named: Mapping[str, Any], budget: Budget
) -> str:
    """Fill in `{}`, `{0}` and `{name}`."""
    given = iter(positional)

    def one(found: re.Match[str]) -> str:
        name = found.group(1)
        if name is None:
            return found.group()[0]
        if name.isdecimal():
            return to_text(
                positional[int(name[:4])] if int(name[:4]) < len(positional) else None
            )
        return to_text(named.get(name) if name else next(given, None))

    return str(_filled(_BRACES, one, text, budget))


def to_text(value: Any) -> str:
    """Return what a string, number or truth value looks like. Raises `Refused` for what is not
    known.
    """
    if isinstance(value, str | int):
        return str(value)
    raise Unsupported


def iter_items(value: Any) -> Iterator[Any]:
    """Yield the elements of a list or the keys of a dictionary, none of anything else."""
    return iter(value if isinstance(value, list | tuple | dict) else ())


def _filled(
    pattern: re.Pattern[str],
    one: Callable[[re.Match[str]], str],
    text: str,
    budget: Budget,
) -> str:
    made: list[str] = []
    size = position = 0
    for found in pattern.finditer(text):
        made += [text[position : found.start()], one(found)]
        position = found.end()
        size += len(made[-1]) + len(made[-2])
        budget.spend(1 + len(made[-1]) // 64)
        if size > MAX_STRING_CHARS:
            raise BudgetExceeded
    return "".join([*made, text[position:]])


def _paid(size: int, make: Callable[[], Any], budget: Budget) -> Any:
    if size > MAX_STRING_CHARS:
        raise BudgetExceeded
    budget.spend(1 + size // 64)
    return make()


def _number(left: Any, right: Any, result: Callable[[], Any]) -> Any:
    if (
        not isinstance(left, int)
        or not isinstance(right, int)
        or max(abs(left), abs(right)) >= 1 << 31
    ):
        raise Unsupported
    try:
        made = result()
    except ArithmeticError as error:
        raise Unsupported from error
    return made if abs(made) < MAX_NUMBER else Unknown()


def _joined(text: str, parts: Any, budget: Budget) -> str:
    known = [part for part in iter_items(parts) if isinstance(part, str)]
    size = sum(map(len, known)) + len(text) * len(known)
    return str(_paid(size, lambda: text.join(known), budget))


def _replaced(text: str, old: str, new: str, budget: Budget) -> str:
    size = len(text) + text.count(old) * len(new)
    return str(_paid(size, lambda: text.replace(old, new), budget))


_PLAIN_METHODS: Final = frozenset(
    {
        "split",
        "rsplit",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "lower",
        "upper",
        "partition",
    }
    | {
        "rpartition",
        "removeprefix",
        "removesuffix",
        "splitlines",
        "find",
        "rfind",
        "count",
        "title",
        "capitalize",
    }
)


def call_string_method(
    text: str,
    name: str,
    positional: list[Any],
    named: Mapping[str, Any],
    budget: Budget,
) -> Any:
    """Call a string's method."""
    budget.spend(1 + len(text) // 64)
    if name == "format":
        return format_braces(text, tuple(positional), named, budget)
    if name == "join" and positional:
        return _joined(text, positional[0], budget)
    if (
        name == "replace"
        and len(positional) >= 2
        and all(isinstance(one, str) for one in positional[:2])
    ):
        return _replaced(text, positional[0], positional[1], budget)
    if name not in _PLAIN_METHODS or not all(
        isinstance(one, str | int | tuple) for one in positional
    ):
        raise Unsupported
    try:
        made = getattr(text, name)(*positional)
    except (TypeError, ValueError) as error:
        raise Unsupported from error
    budget.spend(len(made) if isinstance(made, list | tuple) else 1)
    return list(made) if isinstance(made, list) else made


def call_list_method(
    value: list[Any], name: str, positional: list[Any], budget: Budget
) -> Any:
    """Call a list's method; only what makes it longer is known."""
    if name not in ("append", "extend") or len(positional) != 1:
        raise Unsupported
    added = [positional[0]] if name == "append" else list(iter_items(positional[0]))
    budget.spend(1 + len(added))
    value += added
    return None


def call_dict_method(
    value: dict[Any, Any],
    name: str,
    positional: list[Any],
    named: Mapping[str, Any],
    budget: Budget,
) -> Any:
    """Call a dictionary's method."""
    budget.spend(1 + len(value))
    if name in ("keys", "values"):
        return list(getattr(value, name)())
    if name == "items":
        return [tuple(pair) for pair in value.items()]
    if (
        name in ("get", "pop", "setdefault")
        and positional
        and isinstance(positional[0], str | int)
    ):
        return _entry(value, name, positional)
    if name == "update":
        value.update(
            positional[0] if positional and isinstance(positional[0], dict) else {},
            **named,
        )
        return None
    raise Unsupported


def _entry(value: dict[Any, Any], name: str, given: list[Any]) -> Any:
    default = given[1] if len(given) > 1 else None
    if name == "get":
        return value.get(given[0], default)
    return (
        value.pop(given[0], default)
        if name == "pop"
        else value.setdefault(given[0], default)
    )
