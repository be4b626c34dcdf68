"""Put declarations of types that no source has in front of what a kernel needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from crawler.cpp.identifiers import IDENTIFIER
from crawler.model import Closure


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
