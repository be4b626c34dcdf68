"""Build a launch site from a kernel's recorded launch, host code and attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from crawler.cpp.arguments import split_template_arguments
from crawler.cpp.identifiers import WORD
from crawler.model import Instantiation, Kernel, Launch
from crawler.validate.evidence.allocations.launch_memory import find_allocations
from crawler.validate.evidence.allocations.tensor_axes import find_asked_axes
from crawler.validate.evidence.class_template_values import (
    parse_template_number,
    read_class_template_values,
)
from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import (
    EvaluationScope,
    refuse_free_variable,
)
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import Expression
from crawler.validate.evidence.expressions.host_macros import (
    expand_macros,
    read_host_macros,
)
from crawler.validate.evidence.host_assertions import (
    find_host_assertions,
    find_host_refusals,
    read_launch_conditions,
)
from crawler.validate.evidence.host_definitions import (
    find_definitions,
    find_visible_definitions,
)
from crawler.validate.evidence.launch_configuration import MAX_BLOCK_THREADS, Dim3
from crawler.validate.evidence.launch_site import LaunchSite
from crawler.validate.evidence.names import is_block_size
from crawler.validate.evidence.source_constants import find_constants

LAUNCH_BOUNDS: Final = "__launch_bounds__"
"""What the compiler has told of a block by this name is how many threads it has at most."""
_USUAL_THREADS: Final = 256
_WARP_THREADS: Final = 32
_LARGE_CONSTANT: Final = 4096
"""From which on a number that the host names is a size of its work, and no size of a block."""
# attributes and the kernel as they are written: a word of a comment changes a guess
_BOUNDS: Final = re.compile(r"__launch_bounds__\s*\(\s*([^,()]+)")
_SECOND_AXIS: Final = re.compile(r"threadIdx\s*\.\s*y")


def build_launch_site(
    kernel: Kernel,
    launch: Launch | None,
    instantiation: Instantiation | None,
    source: str,
    compiler_constants: Mapping[str, int] = MappingProxyType({}),
) -> LaunchSite:
    """Return the site of a launch; without one what the kernel itself tells.

    The compiler has `compiler_constants` what some constants are that the launch asks for.
    """
    arguments = instantiation.arguments if instantiation else ()
    values, types = _name_template_arguments(kernel, launch, arguments)

    for name, value in compiler_constants.items():
        if name not in values and name != LAUNCH_BOUNDS:
            values[name] = value

    class_values = read_class_template_values(source, arguments)
    definitions = {name: str(value) for name, value in class_values.items()}
    unit_constants = dict(find_constants(source))
    definitions.update(unit_constants)
    # a template argument that names the threads holds for the launch, too
    threads = _find_block_threads(values, compiler_constants, class_values)
    site = LaunchSite(
        grid="",
        block="",
        shared_bytes="0",
        arguments={},
        definitions=definitions,
        template_values=values,
        template_types=types,
        default_block=_choose_default_block(kernel, definitions, threads),
        template_threads=threads,
    )
    if launch is None:
        return site

    return _add_launch(site, kernel, launch, unit_constants)


def _add_launch(
    site: LaunchSite, kernel: Kernel, launch: Launch, unit_constants: Mapping[str, str]
) -> LaunchSite:
    """Return the site with what the host's text round a launch says."""
    macros = read_host_macros(launch.definitions)
    grid, block, shared_bytes = (
        expand_macros(text, macros)
        for text in (launch.grid, launch.block, launch.shared_bytes)
    )
    definitions = {
        **_find_configuration_constants(launch, grid, block),
        **site.definitions,
    }
    host_texts = _list_host_texts(kernel, launch)

    for text in (*host_texts, launch.setup):
        definitions.update(find_definitions(text))

    text_before_launch = _find_text_before(kernel, launch)
    definitions.update(find_visible_definitions(text_before_launch))
    conditions: list[Expression] = []

    for text in host_texts:
        conditions += find_host_assertions(text)
    conditions += find_host_refusals(text_before_launch)
    conditions += read_launch_conditions(launch.conditions)

    definitions = {
        name: expand_macros(text, macros) for name, text in definitions.items()
    }
    launch_arguments = dict(launch.argument_map)

    return replace(
        site,
        grid=grid,
        block=block,
        shared_bytes=shared_bytes.split(",")[0],
        arguments=launch_arguments,
        definitions=definitions,
        default_block=_choose_default_block(kernel, definitions, site.template_threads),
        conditions=tuple(conditions),
        asked_axes=find_asked_axes([*host_texts, *launch_arguments.values()]),
        large_constants=_find_large_constants(definitions, unit_constants),
        allocations=find_allocations(
            text_before_launch, host_texts, launch_arguments, definitions, conditions
        ),
    )


def _find_configuration_constants(
    launch: Launch, grid: str, block: str
) -> dict[str, str]:
    """Return the constants of a launch's file that its grid and its block name: `THREADS`."""
    names = {*WORD.findall(grid), *WORD.findall(block)}
    constants = find_constants(launch.definitions)
    return {name: value for name, value in constants if name in names}


def _find_large_constants(
    definitions: Mapping[str, str], unit_constants: Mapping[str, str]
) -> frozenset[str]:
    """Return what is defined as a large number, but not in the unit: there a kernel has it, too."""
    large_names: list[str] = []

    for name, text in definitions.items():
        tree = parse_expression(text) if name not in unit_constants else None
        value = (
            to_number(evaluate(tree, EvaluationScope(refuse_free_variable)))
            if tree
            else None
        )
        if value is not None and value >= _LARGE_CONSTANT:
            large_names.append(name)

    return frozenset(large_names)


def _list_host_texts(kernel: Kernel, launch: Launch) -> list[str]:
    """Return the functions that a launch stands in; where none is recorded, its setup."""
    enclosing = _strip_qualifiers(launch.enclosing)
    texts = [
        function.source
        for function in kernel.host
        if _strip_qualifiers(function.name) == enclosing
    ]

    return texts or [launch.setup]


def _find_text_before(kernel: Kernel, launch: Launch) -> str:
    """Return the function that a launch stands in, up to there; empty where none is recorded."""
    place = launch.span

    for function in kernel.host:
        span = function.span
        is_around = span.offset <= place.offset < span.end_offset
        if span.path != place.path or not is_around:
            continue

        # offsets count bytes
        before_launch = function.source.encode()[: place.offset - span.offset]

        return before_launch.decode("utf-8", "ignore")

    return ""


def _find_block_threads(
    values: Mapping[str, int | float],
    compiler_constants: Mapping[str, int],
    class_values: Mapping[str, int],
) -> int:
    """Return how many threads a block has as the kernel, its bounds, or what it is made of has
    them; 0 for nobody.
    """
    for name, value in (*values.items(), *class_values.items()):
        if is_block_size((name,)) and 1 <= value <= MAX_BLOCK_THREADS:
            return int(value)

    bounds = compiler_constants.get(LAUNCH_BOUNDS, 0)

    return bounds if bounds <= MAX_BLOCK_THREADS else 0


def _strip_qualifiers(name: str) -> str:
    return name.rpartition("::")[2]


def _name_template_arguments(
    kernel: Kernel, launch: Launch | None, arguments: Sequence[str]
) -> tuple[dict[str, int | float], dict[str, str]]:
    """Return what template arguments are called, here and at the launch: numbers, and types."""
    parameters = [parameter.name for parameter in kernel.template_parameters]
    pairs = list(zip(parameters, arguments, strict=False))

    if launch and "<" in launch.callee:
        text = launch.callee.partition("<")[2].rpartition(">")[0]
        launch_names = split_template_arguments(text)

        for name, argument in zip(launch_names, arguments, strict=False):
            if not name[:1].isdigit():
                pairs.append((name, argument))

    values: dict[str, int | float] = {}
    types: dict[str, str] = {}

    for name, argument in pairs:
        number = parse_template_number(argument)
        if number is None:
            types[name] = argument
        else:
            values[name] = number

    # launches mostly stand in a dispatch macro, in which the type goes by this name
    if types and "scalar_t" not in types:
        types["scalar_t"] = next(iter(types.values()))

    return values, types


def _choose_default_block(
    kernel: Kernel, definitions: Mapping[str, str], threads: int
) -> Dim3:
    """Return a block of so many threads, or as a kernel may have by its launch bounds, in the
    axes it asks for.
    """
    max_threads = threads or _read_launch_bounds(kernel, definitions)
    if not _SECOND_AXIS.search(kernel.source) or max_threads < _WARP_THREADS:
        return (max_threads, 1, 1)

    # what every device has room for is no size of a block
    usual = max_threads if max_threads < MAX_BLOCK_THREADS else _USUAL_THREADS

    return (_WARP_THREADS, usual // _WARP_THREADS, 1)


def _read_launch_bounds(kernel: Kernel, definitions: Mapping[str, str]) -> int:
    bounds = _BOUNDS.search(" ".join(kernel.attributes))
    if bounds is None:
        return _USUAL_THREADS

    scope = EvaluationScope(
        resolve_free=lambda _text, _names: _USUAL_THREADS, definitions=definitions
    )
    value = to_number(evaluate(parse_expression(bounds[1]), scope))
    if value is None or not 1 <= value <= MAX_BLOCK_THREADS:
        return _USUAL_THREADS

    return int(value)
