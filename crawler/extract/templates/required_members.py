"""Read what a kernel asks of the type that a template parameter stands for.

The template is not instantiated: libclang shows no calls and members of a type that depends on
its parameters, so that its text is searched.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.arguments import split_code
from crawler.cpp.brackets import closing_in_code
from crawler.model import KernelFacts

_TYPE_DECORATION: Final = re.compile(r"\bconst\b|\b__restrict(?:__)?\b|[*&]")


def find_required_members(name: str, kernel: KernelFacts) -> frozenset[str]:
    """Return the members that a kernel and its head ask of a parameter, and of what has its
    type: `Element` of `Traits::Element`, `stride` of `layout.stride`.
    """
    text = f"{kernel.source} {kernel.template_head}"
    qualified_member = rf"\b{re.escape(name)}\s*::\s*(?:template\s+)?(\w+)"
    members = set(re.findall(qualified_member, text))
    for parameter in kernel.parameters:
        plain_type = _TYPE_DECORATION.sub("", parameter.type).strip()
        if parameter.name and plain_type == name:
            accessed_member = (
                rf"(?<![\w.>]){re.escape(parameter.name)}\s*(?:\.|->)\s*(\w+)"
            )
            members.update(re.findall(accessed_member, kernel.source))

    return frozenset(members)


def count_call_arguments(name: str, kernel: KernelFacts) -> int:
    """Return how many arguments a kernel calls a parameter of such a type with; 0 where it
    calls none.
    """
    for parameter in kernel.parameters:
        if not parameter.name:
            continue
        if not re.search(rf"\b{re.escape(name)}\b", parameter.type):
            continue

        call = re.search(rf"(?<![\w.>]){re.escape(parameter.name)}\s*\(", kernel.source)
        # `op(x[i], y)` has two
        if call:
            opening = call.end() - 1
            closing = closing_in_code(kernel.source, opening)
            end = closing if closing >= 0 else len(kernel.source)

            return len(split_code(kernel.source[call.end() : end]))

    return 0
