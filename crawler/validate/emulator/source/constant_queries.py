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
from crawler.model import Kernel, KernelUnit
from crawler.validate.evidence.recorded_launch_site import LAUNCH_BOUNDS

_MOST: Final = 24
_LONGEST: Final = 1 << 16
"""Characters of host code that are looked at."""
_PLAIN: Final = re.compile(r"[\w\s]*")
_CHAIN: Final = r"((?:\s*+::\s*+\w++)++)(?!\s*+[(<])"
_SIZE: Final = (
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
    name = re.search(rf"\b{re.escape(_last(unit.kernel_name))}\s*\(", kernel.source)
    if name is None:
        return ConstantQueries("", ())
    resolved = (
        unit.instantiations[entry].arguments if entry < len(unit.instantiations) else ()
    )
    head = kernel.source[: name.end()]
    found = {
        each.name: each for each in (*_bounds(head), *_of_launches(kernel, resolved))
    }
    return ConstantQueries(head, tuple(islice(found.values(), _MOST)))


def _last(name: str) -> str:
    return name.partition("<")[0].rpartition("::")[2]


def _bounds(head: str) -> Iterator[ConstantQuery]:
    """Yield the question for the launch bounds; where a directive stands, nobody knows whether
    they are meant.
    """
    written = head.partition(LAUNCH_BOUNDS)[2].lstrip()
    if not written.startswith("(") or "#" in head:
        return
    closing = closing_in_code(written, 0, pairs=ROUND)
    first = split_template_arguments(
        written[1 : closing if closing >= 0 else len(written)]
    )[0]
    if not _PLAIN.fullmatch(first):
        yield ConstantQuery(LAUNCH_BOUNDS, first)


def _of_launches(kernel: Kernel, resolved: Sequence[str]) -> Iterator[ConstantQuery]:
    text = "\n".join(_texts(kernel))[:_LONGEST]
    for written, parameter in _aliases(kernel, resolved).items():
        spelled = re.escape(written)
        for found in re.finditer(rf"(?<![\w:.]){spelled}{_CHAIN}", text):
            chain = "".join(found[1].split())
            yield ConstantQuery(f"{written}{chain}", f"{parameter}{chain}")
        for found in re.finditer(_SIZE.format(spelled), text):
            chain = "".join(found["chain"].split())
            kind = "typename" if found["kind"] else ""
            yield ConstantQuery(
                f"sizeof({kind}{written}{chain})",
                f"sizeof({found['kind'] or ''}{parameter}{chain})",
            )


def _texts(kernel: Kernel) -> Iterator[str]:
    for each in kernel.launches:
        yield from (each.grid, each.block, each.shared_bytes, each.setup)
    yield from (each.source for each in kernel.host)


def _aliases(kernel: Kernel, resolved: Sequence[str]) -> Mapping[str, str]:
    """Return the kernel's type parameters by what they are called: as it calls them, and as
    launches do.
    """
    names = [each.name for each in kernel.template_parameters]
    of_types = {
        name: name
        for name, value in zip(names, resolved, strict=False)
        if name and not re.match(r"-?\d|true|false", value)
    }
    found = dict(of_types)
    for callee in {each.callee for each in kernel.launches if "<" in each.callee}:
        written = split_template_arguments(callee.partition("<")[2].rpartition(">")[0])
        for spelled, name in zip(written, names, strict=False):
            if name in of_types and re.fullmatch(r"[A-Za-z_]\w*(?:::\w+)*", spelled):
                found.setdefault(spelled, name)
    return found
