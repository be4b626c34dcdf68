"""Attach the constructors of structures that the host passes to a kernel, and all that they
call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.dependency_closure import (
    KernelDependencies,
    build_closure,
    find_dependencies,
)
from crawler.extract.closure.strip_host_code import KeptHostCode
from crawler.extract.closure.unit_context import UnitContext
from crawler.extract.describe.by_value_classes import find_by_value_classes
from crawler.model import Closure, KernelFacts, TextReplacement

_ROUNDS: Final = 4
_MOST_TIMES: Final = 2
"""How many times as long a unit may become that holds what makes its structures."""
_DECLARED: Final = r"(?<![\w~.>:]){}\s*\((?!\s*\))[^;]{{0,4000}}\)\s*;"


def attach_host_constructors(
    kernel: KernelFacts, declaration: Declaration, context: UnitContext
) -> KernelFacts:
    """Return what is seen of a kernel with what makes its structures, where its unit holds
    constructors without bodies.

    A unit is as it was: this stands beside it, for who runs the kernel.
    """
    names = find_by_value_classes(
        kernel.parameters, kernel.template_parameters, kernel.instantiations
    )
    if (
        kernel.closure is None
        or not kernel.closure.complete
        or not _declares(kernel.closure, names)
    ):
        return kernel
    arguments = {part for one in kernel.instantiations for part in one.arguments}
    wanted = KeptHostCode(frozenset(names))
    for _ in range(_ROUNDS):
        seen = context.copy_keeping(wanted)
        found = find_dependencies(declaration, arguments, seen)
        words = wanted.kept_names | _words(found, seen)
        if words == wanted.kept_names:
            break
        wanted = KeptHostCode(words)
    whole = build_closure(declaration, found, seen)
    replaced = tuple(_replaced(kernel.closure, whole))
    room = _MOST_TIMES * sum(map(len, kernel.closure.fragments))
    if not whole.complete or sum(len(each.text) for each in replaced) > room:
        return kernel
    return replace(kernel, closure=replace(kernel.closure, making=replaced))


def _declares(closure: Closure, names: Sequence[str]) -> bool:
    """Tell whether a closure declares a constructor of one of these classes without its body."""
    patterns = [re.compile(_DECLARED.format(re.escape(name))) for name in names]
    return any(
        pattern.search(fragment)
        for pattern in patterns
        for fragment in closure.fragments
    )


def _words(found: KernelDependencies, seen: UnitContext) -> frozenset[str]:
    return frozenset().union(*(seen.get_kept_words(one) for one in found.declarations))


def _replaced(plain: Closure, whole: Closure) -> Iterator[TextReplacement]:
    """Yield what stands in place of which fragments of a closure, where another holds more."""
    headers = [
        f"#include {header}"
        for header in whole.includes
        if header not in plain.includes
    ]
    known = {fragment: at for at, fragment in enumerate(plain.fragments)}
    at, fresh = 0, headers
    for fragment in whole.fragments:
        same = known.get(fragment, -1)
        if same < at:
            fresh.append(fragment)
            continue
        if fresh or same > at:
            yield TextReplacement(start=at, end=same, text="\n\n".join(fresh))
        at, fresh = same + 1, []
    if fresh or at < len(plain.fragments):
        yield TextReplacement(
            start=at, end=len(plain.fragments), text="\n\n".join(fresh)
        )
