"""Find which kernel specialisations a translation unit uses, and where.

libclang shows the bodies of templates as the compiler instantiated them, when it is told to
leave out what comes from a precompiled header: every reference to a kernel then carries its
resolved template arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clang.cindex import CursorKind, TypeKind

from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import (
    CursorLocations,
    cursor_name,
    list_child_cursors,
)
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.scoped_cursors import ScopedCursor
from crawler.extract.lambdas.lambda_writer import LambdaWriter
from crawler.extract.launches.kernel_use import (
    UNKNOWN_PLACE,
    KernelUse,
    LaunchTextFacts,
    SourcePlace,
)
from crawler.extract.launches.passed_kernels import (
    MAX_CALL_DEPTH,
    record_passed_arguments,
    resolve_parameter_launches,
)
from crawler.extract.launches.reference_walk import (
    MAX_VISITED_NODES,
    POINTER_KINDS,
    EnclosingFunction,
    IndirectLaunch,
    ReferenceWalk,
)

_FUNCTION_KINDS: Final = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
    # its initialiser may name a kernel, or be a lambda that launches one
    CursorKind.VAR_DECL,
}
_SCOPE_KINDS: Final = {
    CursorKind.UNEXPOSED_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}


@dataclass(frozen=True, slots=True)
class KernelUses:
    """The uses of kernels in a unit."""

    uses: Collection[KernelUse]
    functions: Mapping[SourcePlace, Cursor]
    """The function round each use and each call of a launching function."""


def find_kernel_uses(
    scoped_cursors: Iterable[ScopedCursor],
    kernels: Sequence[Declaration],
    root: Path,
    directory: str,
    text_facts: LaunchTextFacts,
    lambdas: LambdaWriter,
) -> KernelUses:
    """Return every use of a kernel in what a unit holds at namespace level, in order.

    Lambdas among the arguments of templates are named by `lambdas`.
    """
    walk = ReferenceWalk(
        root=root,
        directory=directory,
        kernel_names=frozenset(name for kernel in kernels for name in kernel.names),
        text_facts=text_facts,
        locations=CursorLocations(root, directory),
        lambdas=lambdas,
    )

    for kernel in kernels:
        _record_definition(kernel.cursor, walk)

    cursors = (scoped_cursor.cursor for scoped_cursor in scoped_cursors)
    functions = list(_iter_functions(cursors, walk))
    # most functions of a unit come from libraries: their text rules them out, cheaper than a walk
    users = [function for function in functions if _may_contain_use(function, walk)]
    walk.user_names = {function.spelling for function in users}

    for function in functions:
        # e.g. `template __global__ void scale<float>(float *);`, a use without a place
        if _is_kernel_specialisation(function, walk):
            # the enclosing function is unknown as well
            walk.record_use(function, UNKNOWN_PLACE, UNKNOWN_PLACE)

    for function in users:
        if walk.visited_nodes < MAX_VISITED_NODES:
            _walk_body(function, walk)

    # only now, since a caller may stand behind the function that it calls
    resolve_parameter_launches(walk)

    return KernelUses(walk.uses, walk.functions)


def _record_definition(kernel: Cursor, walk: ReferenceWalk) -> None:
    definition = kernel.get_definition()
    place = UNKNOWN_PLACE
    if definition is not None:
        place = walk.find_start(definition)

    walk.definitions[(*walk.locate(kernel), kernel.spelling)] = place


def _iter_functions(cursors: Iterable[Cursor], walk: ReferenceWalk) -> Iterator[Cursor]:
    """Yield the functions among cursors, and those in the classes that may hold a use."""
    for cursor in cursors:
        if cursor.kind in _FUNCTION_KINDS:
            yield cursor
        elif cursor.kind in _SCOPE_KINDS:
            extent = walk.locations.find_extent(cursor)
            # the empty name excludes no word: a class may hold uses of any kernel
            if walk.text_facts.may_contain_use(*extent, ""):
                yield from _iter_functions(list_child_cursors(cursor), walk)


def _may_contain_use(function: Cursor, walk: ReferenceWalk) -> bool:
    extent = walk.locations.find_extent(function)
    name = cursor_name(function)
    return walk.text_facts.may_contain_use(*extent, name)


def _is_kernel_specialisation(function: Cursor, walk: ReferenceWalk) -> bool:
    name = cursor_name(function)
    return name in walk.kernel_names and function.get_num_template_arguments() >= 0


def _walk_body(function: Cursor, walk: ReferenceWalk) -> None:
    enclosing = _describe_enclosing_function(function)
    references = walk.collect_references(function)
    for cursor in references:
        name = cursor_name(cursor)
        if name in walk.kernel_names:
            walk.record_function(walk.locate(cursor), function)
            walk.record_reference(cursor, enclosing)
        # a name that launches are written with, but no kernel: a variable or a parameter
        elif name in walk.text_facts.launched_names:
            _record_indirect_launch(
                cursor,
                function,
                enclosing,
                walk,
            )

        if name in walk.text_facts.launch_wrappers.names:
            walk.record_function(walk.locate(cursor), function)
            record_passed_arguments(cursor, references, walk)


def _record_indirect_launch(
    cursor: Cursor, function: Cursor, enclosing: EnclosingFunction, walk: ReferenceWalk
) -> None:
    """Follow a launched variable: `auto kernel = &k<float>; kernel<<<…>>>(…)`.

    A variable without such a value may hold any kernel whose address the function, or what it
    calls, has stored.
    """
    place = walk.locate(cursor)
    variable = cursor.referenced
    if variable is None or not walk.text_facts.is_launched(*place, cursor.spelling):
        return

    walk.record_function(place, function)
    launch = IndirectLaunch(variable, place, enclosing)
    if variable.kind is CursorKind.PARM_DECL:
        walk.parameter_launches.append(launch)

    if variable.kind not in POINTER_KINDS:
        return

    for scope in (variable, function):
        stored_kernels = walk.find_stored_kernels(scope, MAX_CALL_DEPTH)
        kernels = [kernel for kernel in stored_kernels if _may_hold(variable, kernel)]
        for kernel in kernels:
            walk.record_reference(kernel, enclosing, launch)

        if kernels:
            return


def _may_hold(variable: Cursor, kernel: Cursor) -> bool:
    """Tell whether a variable may point to a kernel, by its type where it has one of a function."""
    pointee = variable.type.get_canonical().get_pointee()
    function = kernel.referenced
    # `auto`, `void *` and the like say nothing of what they point to
    if pointee.kind is not TypeKind.FUNCTIONPROTO or function is None:
        return True

    # an overload set has no type of its own
    if function.kind not in _FUNCTION_KINDS:
        return True

    return pointee == function.type.get_canonical()


def _describe_enclosing_function(function: Cursor) -> EnclosingFunction:
    """Return the function that a body belongs to; for a lambda, the one that it stands in."""
    names: list[str] = []
    start = function.extent.start.offset
    cursor: Cursor | None = function
    while cursor is not None and cursor.kind is not CursorKind.TRANSLATION_UNIT:
        if cursor.kind in _FUNCTION_KINDS:
            start = cursor.extent.start.offset

        name = cursor.spelling
        # what stands in a lambda belongs to the function around it
        if "(lambda" in name or name == "operator()":
            names = []
        elif name and "(anonymous" not in name:
            names.append(name)

        cursor = cursor.semantic_parent

    return "::".join(reversed(names)), start
