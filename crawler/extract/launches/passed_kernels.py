"""Resolve launches of parameters: which kernels do callers pass to a launching function?

e.g. `template <class K> void run(K kernel, int n) { kernel<<<n, 256>>>(n); }` launches whatever
`run(scale<float>, 4)` passes, also through another function that passes its own parameter on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clang.cindex import CursorKind

from crawler.extract.clang.cursor import Cursor
from crawler.extract.launches.kernel_use import SourcePlace
from crawler.extract.launches.reference_walk import (
    POINTER_KINDS,
    IndirectLaunch,
    PassedArgument,
    ReferenceWalk,
)
from crawler.extract.syntax.launch_wrappers import pair_parameters, rebind_to_caller

MAX_CALL_DEPTH: Final = 2
"""Calls that are followed to find where a kernel's address is stored."""


def record_passed_arguments(
    call: Cursor, references: Sequence[Cursor], walk: ReferenceWalk
) -> None:
    """Record what the call of a launching function passes.

    `references` are all of the function that holds the call.
    """
    call_place = walk.locate(call)
    function = call.referenced
    wrappers = walk.text_facts.launch_wrappers
    argument_ranges = wrappers.call_argument_ranges(*call_place)
    # a function of a library that is not here has no place to match by
    if not argument_ranges or function is None or function.location.file is None:
        return

    function = function.get_definition() or function
    path, start = walk.find_start(function)
    texts = wrappers.call_argument_texts(*call_place)
    for argument in references:
        argument_path, offset = walk.locate(argument)
        # offsets compare within one file only
        if argument_path != call_place[0]:
            continue

        for index, (first, last) in enumerate(argument_ranges):
            if not first <= offset < last:
                continue

            passed_argument = PassedArgument(
                path=path,
                start=start,
                end=function.extent.end.offset,
                index=index,
                argument=argument,
                call_texts=texts,
                call_place=call_place,
            )

            walk.passed_arguments.append(passed_argument)


def resolve_parameter_launches(walk: ReferenceWalk) -> None:
    """Record the kernels that callers pass to the launches of parameters."""
    resolved: set[tuple[SourcePlace, SourcePlace]] = set()
    # grows while it is gone through: a caller may pass on a parameter of its own
    for launch in walk.parameter_launches:
        path, offset = walk.locate(launch.variable)
        key = ((path, offset), launch.place)
        if key in resolved:
            continue

        resolved.add(key)

        index = _find_parameter_index(launch.variable, walk)
        parameters = _list_sibling_parameters(launch.variable)
        names = [parameter.spelling for parameter in parameters]
        for passed_argument in walk.passed_arguments:
            if passed_argument.is_argument_of(path, offset, index):
                _resolve_with_argument(
                    launch,
                    passed_argument,
                    names,
                    walk,
                )


def _resolve_with_argument(
    launch: IndirectLaunch,
    passed_argument: PassedArgument,
    parameter_names: Sequence[str],
    walk: ReferenceWalk,
) -> None:
    call_bindings = pair_parameters(parameter_names, passed_argument.call_texts)
    launch = replace(
        launch,
        bindings=rebind_to_caller(launch.bindings, call_bindings),
        call_place=passed_argument.call_place,
    )

    argument = passed_argument.argument
    referenced = argument.referenced

    # `run(scale<float>, 4)`
    if argument.spelling in walk.kernel_names:
        walk.record_reference(argument, launch.enclosing, launch)
        return

    if referenced is None:
        return
    # `run(kernel, 4)` in a function with a parameter `kernel`
    if referenced.kind is CursorKind.PARM_DECL:
        walk.parameter_launches.append(replace(launch, variable=referenced))
    # `run(table[i], 4)`, whose table holds kernels
    elif referenced.kind in POINTER_KINDS:
        for kernel in walk.find_stored_kernels(referenced, MAX_CALL_DEPTH):
            walk.record_reference(kernel, launch.enclosing, launch)


def _list_sibling_parameters(parameter: Cursor) -> list[Cursor]:
    """Return all parameters of the function that a parameter belongs to."""
    function = parameter.semantic_parent
    if function is None:
        return []

    children = function.get_children()
    return [child for child in children if child.kind is CursorKind.PARM_DECL]


def _find_parameter_index(parameter: Cursor, walk: ReferenceWalk) -> int:
    """Return which parameter of its function one is, or -1."""
    place = walk.locate(parameter)
    siblings = _list_sibling_parameters(parameter)
    places = [walk.locate(sibling) for sibling in siblings]

    return places.index(place) if place in places else -1
