"""Collect the constants of template arguments that launches refer to, such as
`Traits::kThreads`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crawler.cpp.arguments import split_template_arguments
from crawler.cpp.brackets import ROUND, closing_in_code
from crawler.cpp.identifiers import QUALIFIED_NAME
from crawler.model import Kernel, KernelUnit
from crawler.validate.evidence.recorded_launch_site import LAUNCH_BOUNDS

_MAX_QUERIES: Final = 24
_MAX_HOST_LENGTH: Final = 1 << 16
"""Characters of host code that are looked at."""
# Host code is fragments without the headers that they need: no tree of it would be whole
_PLAIN_WORDS: Final = re.compile(r"[\w\s]*")
_VALUE: Final = re.compile(r"-?\d|true|false")
_MEMBER_CHAIN: Final = r"((?:\s*+::\s*+\w++)++)(?!\s*+[(<])"
_SIZEOF: Final = (
    r"\bsizeof\s*+\(\s*+(?P<kind>typename\s++)?{0}(?P<chain>(?:\s*+::\s*+\w++)*+)\s*+\)"
)


@dataclass(frozen=True, slots=True)
class ConstantQuery:
    """A constant that is asked for."""

    name: str
    """As host code spells it, without blanks."""
    expression: str
    """Over the kernel's own template parameters."""


@dataclass(frozen=True, slots=True)
class ConstantQueries:
    """Questions that are asked of one instantiation."""

    kernel_head: str
    """The kernel's own text up to behind its name: what answers stands in front of it."""
    queries: tuple[ConstantQuery, ...]


def collect_constant_queries(
    kernel: Kernel, unit: KernelUnit, entry: int
) -> ConstantQueries:
    """Return what launches ask of the template arguments of one instantiation, and its launch
    bounds.
    """
    head = _find_kernel_head(kernel, unit)
    if not head:
        return ConstantQueries("", ())

    arguments: Sequence[str] = ()
    if entry < len(unit.instantiations):
        arguments = unit.instantiations[entry].arguments

    # the last of one name counts, in the place of the first
    queries: dict[str, ConstantQuery] = {}

    for query in _iter_bounds_queries(head):
        queries[query.name] = query

    for query in _iter_launch_queries(kernel, arguments):
        queries[query.name] = query

    first_queries = islice(queries.values(), _MAX_QUERIES)

    return ConstantQueries(head, tuple(first_queries))


def _find_kernel_head(kernel: Kernel, unit: KernelUnit) -> str:
    """Return the kernel's text up to the bracket behind its name; empty without one."""
    qualified_name = unit.kernel_name.partition("<")[0]
    kernel_name = qualified_name.rpartition("::")[2]
    name_pattern = rf"\b{re.escape(kernel_name)}\s*\("
    name = re.search(name_pattern, kernel.source)
    if name is None:
        return ""

    return kernel.source[: name.end()]


def _iter_bounds_queries(head: str) -> Iterator[ConstantQuery]:
    """Yield the question for the launch bounds; where a directive stands, nobody knows whether
    they are meant.
    """
    _, _, text = head.partition(LAUNCH_BOUNDS)
    text = text.lstrip()
    has_directive = "#" in head
    if has_directive or not text.startswith("("):
        return

    closing = closing_in_code(text, 0, pairs=ROUND)
    end = closing if closing >= 0 else len(text)
    bounds = split_template_arguments(text[1:end])
    max_threads = bounds[0]

    # a number or a macro needs no compiler
    if not _PLAIN_WORDS.fullmatch(max_threads):
        yield ConstantQuery(LAUNCH_BOUNDS, max_threads)


def _iter_launch_queries(
    kernel: Kernel, arguments: Sequence[str]
) -> Iterator[ConstantQuery]:
    host_texts = _iter_host_texts(kernel)
    host_code = "\n".join(host_texts)[:_MAX_HOST_LENGTH]
    aliases = _find_type_aliases(kernel, arguments)

    for alias, parameter in aliases.items():
        yield from _iter_member_queries(alias, parameter, host_code)
        yield from _iter_size_queries(alias, parameter, host_code)


def _iter_member_queries(
    alias: str, parameter: str, host_code: str
) -> Iterator[ConstantQuery]:
    """Yield what host code names of a type: `Traits::kThreads`."""
    pattern = rf"(?<![\w:.]){re.escape(alias)}{_MEMBER_CHAIN}"

    for member in re.finditer(pattern, host_code):
        chain = _without_blanks(member[1])
        name = f"{alias}{chain}"
        expression = f"{parameter}{chain}"
        yield ConstantQuery(name, expression)


def _iter_size_queries(
    alias: str, parameter: str, host_code: str
) -> Iterator[ConstantQuery]:
    """Yield what host code takes the size of: `sizeof(typename Traits::Element)`."""
    pattern = _SIZEOF.format(re.escape(alias))

    for size in re.finditer(pattern, host_code):
        chain = _without_blanks(size["chain"])
        kind = size["kind"] or ""
        name = f"sizeof({kind.strip()}{alias}{chain})"
        expression = f"sizeof({kind}{parameter}{chain})"
        yield ConstantQuery(name, expression)


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _iter_host_texts(kernel: Kernel) -> Iterator[str]:
    for launch in kernel.launches:
        yield from (launch.grid, launch.block, launch.shared_bytes, launch.setup)

    for function in kernel.host:
        yield function.source


def _find_type_aliases(kernel: Kernel, arguments: Sequence[str]) -> Mapping[str, str]:
    """Return the kernel's type parameters by what they are called: as it calls them, and as
    launches do.
    """
    parameters = [parameter.name for parameter in kernel.template_parameters]
    aliases: dict[str, str] = {}

    for parameter, argument in zip(parameters, arguments, strict=False):
        if parameter and not _VALUE.match(argument):
            aliases[parameter] = parameter

    # launches call them by names of their own: `kernel<Traits, 4><<<…>>>`
    type_parameters = frozenset(aliases)
    callees = {launch.callee for launch in kernel.launches if "<" in launch.callee}

    for callee in callees:
        _, _, behind_bracket = callee.partition("<")
        argument_text, _, _ = behind_bracket.rpartition(">")
        launch_arguments = split_template_arguments(argument_text)

        for alias, parameter in zip(launch_arguments, parameters, strict=False):
            if parameter in type_parameters and QUALIFIED_NAME.fullmatch(alias):
                aliases.setdefault(alias, parameter)

    return aliases
