"""Methods of Starlark's strings, lists and dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from crawler.builds.bazel.starlark_values import (
    CHARS_A_STEP,
    Budget,
    Unsupported,
    format_braces,
    iter_items,
    pay_for_string,
)

# fmt: off
_PLAIN_METHODS: Final = frozenset({
    "split", "rsplit", "strip", "lstrip", "rstrip", "startswith", "endswith", "lower", "upper",
    "partition", "rpartition", "removeprefix", "removesuffix", "splitlines", "find", "rfind",
    "count", "title", "capitalize",
})
# fmt: on
"""Methods that Python has just so, and whose results are not longer than the string."""


def call_method(
    value: Any,
    name: str,
    positional: list[Any],
    named: Mapping[str, Any],
    budget: Budget,
) -> Any:
    """Call a method. Raises `Unsupported` for one that this subset lacks."""
    if isinstance(value, str):
        return call_string_method(value, name, positional, named, budget)
    if isinstance(value, list):
        return call_list_method(value, name, positional, budget)
    if isinstance(value, dict):
        return call_dict_method(value, name, positional, named, budget)

    raise Unsupported


def call_string_method(
    text: str,
    name: str,
    positional: list[Any],
    named: Mapping[str, Any],
    budget: Budget,
) -> Any:
    """Call a string's method."""
    budget.spend(1 + len(text) // CHARS_A_STEP)
    if name == "format":
        return format_braces(text, tuple(positional), named, budget)
    if name == "join" and positional:
        return _join_strings(text, positional[0], budget)

    if name == "replace" and len(positional) >= 2:
        old_text, new_text = positional[:2]
        if isinstance(old_text, str) and isinstance(new_text, str):
            return _replace_text(text, old_text, new_text, budget)

    # by a list of names: `__class__` and its like lead into the interpreter itself
    if name not in _PLAIN_METHODS:
        raise Unsupported
    if not all(isinstance(argument, str | int | tuple) for argument in positional):
        raise Unsupported

    try:
        result = getattr(text, name)(*positional)
    except (TypeError, ValueError) as error:
        raise Unsupported from error

    budget.spend(len(result) if isinstance(result, list | tuple) else 1)

    return result


def call_list_method(
    value: list[Any], name: str, positional: list[Any], budget: Budget
) -> Any:
    """Call a list's method; only what makes it longer is known."""
    if name not in ("append", "extend") or len(positional) != 1:
        raise Unsupported

    added_items = positional
    if name == "extend":
        added_items = list(iter_items(positional[0]))

    budget.spend(1 + len(added_items))
    value += added_items

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
    if name == "keys":
        return list(value.keys())
    if name == "values":
        return list(value.values())
    if name == "items":
        return list(value.items())

    if name == "update":
        entries = positional[0] if positional else None
        value.update(entries if isinstance(entries, dict) else {}, **named)
        return None

    # other keys, such as a tuple with lists in it, may have no hash
    if not positional or not isinstance(positional[0], str | int):
        raise Unsupported

    key = positional[0]
    default = positional[1] if len(positional) > 1 else None
    if name == "get":
        return value.get(key, default)
    if name == "pop":
        return value.pop(key, default)
    if name == "setdefault":
        return value.setdefault(key, default)

    raise Unsupported


def _join_strings(separator: str, parts: Any, budget: Budget) -> str:
    # what is not known is left out
    strings = [part for part in iter_items(parts) if isinstance(part, str)]

    size = len(separator) * len(strings)

    for string in strings:
        size += len(string)

    joined = pay_for_string(size, lambda: separator.join(strings), budget)

    return str(joined)


def _replace_text(text: str, old_text: str, new_text: str, budget: Budget) -> str:
    added_size = text.count(old_text) * len(new_text)
    size = len(text) + added_size

    replaced = pay_for_string(size, lambda: text.replace(old_text, new_text), budget)

    return str(replaced)
