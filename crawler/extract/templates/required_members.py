"""Read what a kernel asks of the type that a template parameter stands for.

The template is not instantiated: libclang shows no calls and members of a type that depends on
its parameters, so that its text is searched.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.arguments import split_code
from crawler.cpp.brackets import closing_in_code
from crawler.cpp.comments import blank_comments_and_literals
from crawler.model import KernelFacts

# the type of one parameter. It and the kernel are searched as they are written: which members a
# guess must have, no parse of a template tells
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
    code = blank_comments_and_literals(kernel.source)
    for parameter in kernel.parameters:
        if not parameter.name:
            continue
        if not re.search(rf"\b{re.escape(name)}\b", parameter.type):
            continue

        call = re.search(rf"(?<![\w.>]){re.escape(parameter.name)}\s*\(", code)
        # `op(x[i], y)` has two
        if call:
            opening = call.end() - 1
            closing = closing_in_code(code, opening)
            end = closing if closing >= 0 else len(code)

            return len(split_code(code[call.end() : end]))

    return 0
