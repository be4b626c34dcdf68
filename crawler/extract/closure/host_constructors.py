"""Attach the constructors of structures that the host passes to a kernel, and all that they
call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.dependency_closure import build_closure, find_dependencies
from crawler.extract.closure.host_code.kept_host_code import KeptHostCode
from crawler.extract.describe.by_value_classes import find_by_value_classes
from crawler.model import Closure, KernelFacts, Rung, TextReplacement

_MAX_ROUNDS: Final = 4
_MAX_GROWTH: Final = 2
"""How many times as long a unit may become that holds what makes its structures."""
# within a class that a closure holds as text, no longer as a cursor
_BODILESS_CONSTRUCTOR: Final = r"(?<![\w~.>:]){}\s*\((?!\s*\))[^;]{{0,4000}}\)\s*;"


def attach_host_constructors(
    kernel: KernelFacts, declaration: Declaration, context: UnitContext
) -> KernelFacts:
    """Return what is seen of a kernel with what makes its structures, where its unit holds
    constructors without bodies.

    A unit is as it was: this stands beside it, for who runs the kernel.
    """
    closure = kernel.closure
    class_names = find_by_value_classes(
        kernel.parameters,
        kernel.template_parameters,
        kernel.instantiations,
    )

    # nothing runs what does not compile
    if closure is None or not closure.complete:
        return kernel
    # of a wider unit it is not known which fragments the structures stand in
    if closure.rung is not Rung.MINIMAL:
        return kernel
    if not _declares_constructor(closure, class_names):
        return kernel

    whole_closure = _compute_closure_keeping(
        class_names,
        kernel,
        declaration,
        context,
    )
    replacements = tuple(_iter_replacements(closure, whole_closure))
    added_length = sum(len(replacement.text) for replacement in replacements)
    max_length = _MAX_GROWTH * sum(map(len, closure.fragments))
    # a class of a whole library is not worth it
    if not whole_closure.complete or added_length > max_length:
        return kernel

    return replace(kernel, closure=replace(closure, making=replacements))


def _declares_constructor(closure: Closure, class_names: Sequence[str]) -> bool:
    """Tell whether a closure declares a constructor of one of these classes without its body."""
    for name in class_names:
        pattern = re.compile(_BODILESS_CONSTRUCTOR.format(re.escape(name)))
        if any(pattern.search(fragment) for fragment in closure.fragments):
            return True

    return False


def _compute_closure_keeping(
    class_names: Iterable[str],
    kernel: KernelFacts,
    declaration: Declaration,
    context: UnitContext,
) -> Closure:
    """Return a kernel's closure in which classes are whole, and all that their functions call."""
    arguments = {
        argument
        for instantiation in kernel.instantiations
        for argument in instantiation.arguments
    }

    kept_names = frozenset(class_names)
    # what is kept calls more that is to be kept
    for _ in range(_MAX_ROUNDS):
        keeping_context = context.copy_keeping(KeptHostCode(kept_names))
        dependencies = find_dependencies(
            declaration,
            arguments,
            keeping_context,
        )
        more_names = kept_names.union(
            *map(keeping_context.get_kept_words, dependencies.declarations)
        )

        if more_names == kept_names:
            break

        kept_names = more_names

    return build_closure(
        declaration,
        dependencies,
        keeping_context,
    )


def _iter_replacements(plain: Closure, whole: Closure) -> Iterator[TextReplacement]:
    """Yield what stands in place of which fragments of a closure, where another holds more."""
    positions = {fragment: index for index, fragment in enumerate(plain.fragments)}
    position = 0
    new_texts = [
        f"#include {header}"
        for header in whole.includes
        if header not in plain.includes
    ]

    for fragment in whole.fragments:
        # both closures have the same order, so that one walk compares them
        same_position = positions.get(fragment, -1)
        # unknown, or out of the plain closure's order
        if same_position < position:
            new_texts.append(fragment)
            continue

        if new_texts or same_position > position:
            yield TextReplacement(
                start=position, end=same_position, text="\n\n".join(new_texts)
            )

        position = same_position + 1
        new_texts = []

    if new_texts or position < len(plain.fragments):
        yield TextReplacement(
            start=position, end=len(plain.fragments), text="\n\n".join(new_texts)
        )
