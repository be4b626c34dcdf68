"""Build a launch site from a kernel's recorded launch, host code and attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from crawler.cpp.arguments import split_template_arguments
from crawler.model import Instantiation, Kernel, Launch
from crawler.validate.evidence.class_template_values import read_class_template_values
from crawler.validate.evidence.evaluation import EvaluationScope, evaluate, to_number
from crawler.validate.evidence.expression import parse_expression
from crawler.validate.evidence.host_assertions import find_host_assertions
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
_USUAL: Final = 256
_WARP: Final = 32
_BOUNDS: Final = re.compile(r"__launch_bounds__\s*\(\s*([^,()]+)")


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
    resolved = instantiation.arguments if instantiation else ()
    bound, types = _template_arguments(kernel, launch, resolved)
    bound |= {
        name: value
        for name, value in compiler_constants.items()
        if name not in bound and name != LAUNCH_BOUNDS
    }
    inner = read_class_template_values(source, resolved)
    known: dict[str, str] = {name: str(value) for name, value in inner.items()} | dict(
        find_constants(source)
    )
    threads = _block_threads(bound, compiler_constants, inner)
    if launch is None:
        block = _bounded_block(kernel, known, threads)
        return LaunchSite("", "", "0", {}, known, bound, types, block, threads)
    host = [
        each.source
        for each in kernel.host
        if _last(each.name) == _last(launch.enclosing)
    ] or [launch.setup]
    for text in (*host, launch.setup):
        known.update(find_definitions(text))
    known.update(_visible(kernel, launch))
    return LaunchSite(
        launch.grid,
        launch.block,
        launch.shared_bytes.split(",")[0],
        dict(launch.argument_map),
        known,
        bound,
        types,
        _bounded_block(kernel, known, threads),
        template_threads=threads,
        conditions=tuple(each for text in host for each in find_host_assertions(text)),
    )


def _visible(kernel: Kernel, launch: Launch) -> dict[str, str]:
    """Return what names stand for at a launch, as the function says that it stands in."""
    place = launch.span
    for each in kernel.host:
        if (
            each.span.path == place.path
            and each.span.offset <= place.offset < each.span.end_offset
        ):
            ahead = each.source.encode()[: place.offset - each.span.offset]
            return find_visible_definitions(ahead.decode("utf-8", "ignore"))
    return {}


def _block_threads(
    bound: Mapping[str, int | float], told: Mapping[str, int], inner: Mapping[str, int]
) -> int:
    """Return how many threads a block has as the kernel, its bounds, or what it is made of has
    them; 0 for nobody.
    """
    named = (
        int(value)
        for of in (bound, inner)
        for name, value in of.items()
        if _is_block(name, value)
    )
    bounds = told.get(LAUNCH_BOUNDS, 0)
    return next(named, bounds if bounds <= MAX_BLOCK_THREADS else 0)


def _last(name: str) -> str:
    return name.rpartition("::")[2]


def _template_arguments(
    kernel: Kernel, launch: Launch | None, resolved: Sequence[str]
) -> tuple[dict[str, int | float], dict[str, str]]:
    """Return what template arguments are called, here and at the launch: numbers, and types."""
    names = [each.name for each in kernel.template_parameters]
    pairs = list(zip(names, resolved, strict=False))
    if launch and "<" in launch.callee:
        written = split_template_arguments(
            launch.callee.partition("<")[2].rpartition(">")[0]
        )
        pairs += (
            (name, value)
            for name, value in zip(written, resolved, strict=False)
            if not name[:1].isdigit()
        )
    bound: dict[str, int | float] = {}
    types: dict[str, str] = {}
    for name, value in pairs:
        if re.fullmatch(r"-?\d{1,12}", value):
            bound[name] = int(value)
        elif value in ("true", "false"):
            bound[name] = int(value == "true")
        else:
            types[name] = value
    if len(types) and "scalar_t" not in types:
        types["scalar_t"] = next(iter(types.values()))
    return bound, types


def _bounded_block(kernel: Kernel, known: Mapping[str, str], threads: int) -> Dim3:
    """Return a block of so many threads, or as a kernel may have by its launch bounds, in the
    axes it asks for.
    """
    found = _BOUNDS.search(" ".join(kernel.attributes))
    scope = EvaluationScope(
        resolve_free=lambda _text, _names: _USUAL, definitions=known
    )
    bound = to_number(evaluate(parse_expression(found[1]), scope)) if found else None
    most = threads or (
        int(bound) if bound and 1 <= bound <= MAX_BLOCK_THREADS else _USUAL
    )
    if re.search(r"threadIdx\s*\.\s*y", kernel.source) and most >= _WARP:
        # what every device has room for is no size of a block
        return (_WARP, (most if most < MAX_BLOCK_THREADS else _USUAL) // _WARP, 1)
    return (most, 1, 1)


def _is_block(name: str, value: int | float) -> bool:
    """Tell whether a template argument is how many threads a block has."""
    return is_block_size((name,)) and 1 <= value <= MAX_BLOCK_THREADS
