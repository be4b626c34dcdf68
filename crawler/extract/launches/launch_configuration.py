"""Resolve a launch configuration that a structure, a call or an array of arguments holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crawler.cpp.arguments import split_at_top_level_commas
from crawler.cpp.brackets import closing_in_text
from crawler.extract.syntax.launch_syntax import LaunchText
from crawler.extract.syntax.launch_wrappers import ParameterBindings

# These read expressions as written in a launch, which the parse may have left out (`#if`, a
# macro, a template that nothing instantiates): no cursor of libclang stands for them.
_PLAIN_NAME: Final = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*(?![\w(])")
_MEMBER: Final = re.compile(r"([A-Za-z_]\w*|\(.{1,300}\))\s*(?:\.|->)\s*\w+", re.DOTALL)
_TEMPORARY: Final = re.compile(r"\(\s*[\w:]+\s*[({](.*)[)}]\s*\)", re.DOTALL)
# a cast, or what takes an address
_ADDRESS: Final = re.compile(
    r"(?:\(\s*void\s*\*+\s*\)\s*|&\s*|(?:std\s*::\s*)?addressof\s*(?=\()"
    r"|(?:const_cast|static_cast|reinterpret_cast)\s*<[^()]*?>\s*(?=\())+"
)
_MIN_CONFIGURATION_PARTS: Final = 2
"""A launch's configuration has a grid and a block at least."""
_MAX_ARGUMENT_LENGTH: Final = 200
_MEMBERS: Final = ("gridDim", "blockDim", "dynamicSmemBytes", "stream")
"""Members of `cudaLaunchConfig_t`, in their order."""


def substitute_call_arguments(
    launch_text: LaunchText, bindings: ParameterBindings, preceding_text: str
) -> LaunchText:
    """Return a launch in a function with its configuration as a call of that function gives it.

    Where grid and block are members of one value, they are what that was made of, in the order
    of a launch.
    """
    values = {
        name: _parenthesise(argument)
        for name, argument in bindings
        if len(argument) <= _MAX_ARGUMENT_LENGTH
    }

    configuration = (
        launch_text.grid,
        launch_text.block,
        launch_text.shared_bytes,
        launch_text.stream,
    )

    substituted = tuple(_substitute_names(text, values) for text in configuration)
    grid, block, shared_bytes, stream = _resolve_members(substituted, preceding_text)

    return replace(
        launch_text,
        grid=grid,
        block=block,
        shared_bytes=shared_bytes,
        stream=stream,
    )


def _parenthesise(argument: str) -> str:
    return argument if re.fullmatch(r"[\w.:]+", argument) else f"({argument})"


def _substitute_names(text: str, values: Mapping[str, str]) -> str:
    return _PLAIN_NAME.sub(lambda name: values.get(name[0], name[0]), text)


def _resolve_members(
    configuration: tuple[str, ...], preceding_text: str
) -> tuple[str, ...]:
    """Return what members of one value hold by how it was made: `s.grid` of `Shape s(blocks,
    threads, 0)`.
    """
    # `s`, `s`, `` and `` for `s.grid`, `s.block`, `0` and `stream`
    receivers = [_receiver_of(expression) for expression in configuration]
    if not receivers[0] or receivers[0] != receivers[1]:
        return configuration

    parts = _find_constructor_arguments(receivers[0], preceding_text)
    if len(parts) < _MIN_CONFIGURATION_PARTS:
        return configuration

    resolved = list(configuration)
    for position, receiver in enumerate(receivers):
        # only members are replaced: a stream beside them stays
        if receiver == receivers[0] and position < len(parts):
            resolved[position] = parts[position]

    return tuple(resolved)


def _receiver_of(expression: str) -> str:
    """Return `s` for `s.grid`; nothing for an expression that is no member."""
    member = _MEMBER.fullmatch(expression)
    return member[1] if member else ""


def _find_constructor_arguments(value: str, preceding_text: str) -> list[str]:
    """Return what a value is made of: a temporary, or a name that is given a value last."""
    temporary = _TEMPORARY.fullmatch(value)
    if temporary:
        return split_at_top_level_commas(temporary[1])

    name = re.escape(value)
    argument_lists = re.findall(
        rf"\b{name}\s*(?:=\s*(?:[\w:]+\s*)?)?[({{]([^;]{{1,400}})[)}}]\s*;",
        preceding_text,
    )

    return split_at_top_level_commas(argument_lists[-1] if argument_lists else "")


def resolve_launch_structures(
    launch_text: LaunchText, preceding_text: str
) -> LaunchText:
    """Return a launch with what its configuration structure and its array of arguments hold,
    where that shows.
    """
    if launch_text.config_variable:
        members = _find_configuration_members(
            launch_text.config_variable, preceding_text
        )

        # members that a structure is not given are 0, as `cudaLaunchConfig_t c = {}` has them
        unset_shared_bytes = "0" if members else launch_text.shared_bytes
        unset_stream = "0" if members else launch_text.stream
        launch_text = replace(
            launch_text,
            grid=members.get("gridDim", launch_text.grid),
            block=members.get("blockDim", launch_text.block),
            shared_bytes=members.get("dynamicSmemBytes", unset_shared_bytes),
            stream=members.get("stream", unset_stream),
        )

    # `cudaLaunchKernel(f, grid, block, args, 0, 0)`
    if launch_text.argument_array:
        arguments = _find_array_elements(launch_text.argument_array, preceding_text)
        launch_text = replace(launch_text, arguments=arguments)

    return launch_text


def _find_configuration_members(variable: str, preceding_text: str) -> dict[str, str]:
    """Return what the members of a configuration structure were last given."""
    name = re.escape(variable)
    members: dict[str, str] = {}
    initialiser = re.search(rf"\b{name}\s*(?:=\s*)?\{{([^;]+)\}}\s*;", preceding_text)
    # `{.gridDim = grid}` is left to the pattern of assignments
    if initialiser and "." not in initialiser[1].split(",")[0]:
        values = split_at_top_level_commas(initialiser[1])
        members = dict(zip(_MEMBERS, values, strict=False))

    assignment = (
        rf"(?:\b{name}\s*(?:\.|->)|[{{,]\s*\.)\s*({'|'.join(_MEMBERS)})"
        r"\s*=\s*([^;]+?)\s*(?=;|,\s*\.|\})"
    )

    for member, value in re.findall(assignment, preceding_text):
        members[member] = value

    return members


def _find_array_elements(array: str, preceding_text: str) -> tuple[str, ...]:
    """Return what an array of addresses points to: `a, n` for `void *args[] = {&a, &n};`."""
    initialiser = re.search(
        rf"\b{re.escape(array)}\s*\[[^\]]*\]\s*(?:=\s*)?\{{([^;]*)\}}\s*;",
        preceding_text,
    )

    if initialiser is None:
        return ()

    elements = split_at_top_level_commas(initialiser[1])

    return tuple(map(_strip_address, elements))


def _strip_address(element: str) -> str:
    """Return `n` for `&n`, whatever casts and brackets are round it."""
    # `static_cast<void *>(&n)` is a cast, its brackets, and then an address
    while True:
        address = _ADDRESS.match(element)
        if address is None:
            return element

        element = element[address.end() :].strip()
        if not element.startswith("("):
            continue

        # `(&a, b)` is one value, no list; `(a)[1]` has no brackets round all of it
        inside = element[1:-1].strip()
        encloses_all = closing_in_text(element, 0) == len(element) - 1
        if encloses_all and len(split_at_top_level_commas(inside)) == 1:
            element = inside
