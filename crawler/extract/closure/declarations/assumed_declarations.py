"""Put declarations that no source has in front of what a kernel needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from crawler.cpp.identifiers import IDENTIFIER
from crawler.model import Closure

_MAX_ROUNDS: Final = 12
"""A compiler that knows one name more may miss another one."""


def declare_assumed_types(
    closure: Closure, assumed_types: Mapping[str, str]
) -> Closure:
    """Return a closure with the declarations of those types that it names."""
    if not assumed_types:
        return closure

    words = set(IDENTIFIER.findall("\n".join(closure.fragments)))
    declarations = [
        declaration for name, declaration in assumed_types.items() if name in words
    ]
    return put_in_front(closure, declarations)


def put_in_front(closure: Closure, declarations: Collection[str]) -> Closure:
    """Return a closure with declarations of types before everything that its project has."""
    if not declarations:
        return closure

    return replace(
        closure,
        fragments=(*declarations, *closure.fragments),
        origins=(*[None] * len(declarations), *closure.origins),
        assumed=(*declarations, *closure.assumed),
    )


def assume_declarations(
    closure: Closure,
    list_messages: Callable[[Closure], list[str] | None],
    declare: Callable[[list[str]], list[str]],
) -> Closure | None:
    """Return a closure that compiles with declarations of what its errors miss; `None` where none
    does.

    `list_messages` returns the errors of a closure's unit, `None` where it may not be tried;
    `declare` the declarations for errors, none where it knows none.
    """
    assumed: list[str] = []
    for _ in range(_MAX_ROUNDS):
        completed = put_in_front(closure, assumed)
        messages = list_messages(completed)
        if messages is None:
            return None
        if not messages:
            return completed

        declarations = declare(messages)
        if not declarations:
            return None
        assumed += declarations

    return None
