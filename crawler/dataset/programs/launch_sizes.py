"""Read off a kernel's text and its launches which sizes a launch depends on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from crawler.cpp.arguments import split_words
from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.identifiers import IDENTIFIER
from crawler.dataset.prompts.launch_statements import resolve_variable
from crawler.model import Kernel

# the value of a launch's grid on one line: `dim3((n + 63) / 64, 2)`, `{blocks, 1, 1}`
_EXTENTS: Final = re.compile(r"(?:dim3 ?)?[({](.*)[)}]")
# a word or a sign of an expression on one line
_WORD: Final = re.compile(r"\w+|\S")
# the text of a kernel: what an index is held against, `if (i < n)`, `if (i >= n)`
_BOUND: Final = re.compile(r"[<>]=?\s*([A-Za-z_]\w*)")


def find_sized_axes(kernel: Kernel) -> frozenset[int]:
    """Return the axes of the grid that a launch of the project gives anything but a number."""
    axes: set[int] = set()
    for launch in kernel.launches:
        grid = " ".join(resolve_variable(launch.setup, launch.grid).split())
        extents = _EXTENTS.fullmatch(grid) if grid.startswith(("dim3", "{")) else None
        words = _WORD.findall(extents[1] if extents else grid)
        parts = split_words(words) if extents else [words]
        axes |= {
            axis
            for axis, part in enumerate(parts)
            if any(IDENTIFIER.fullmatch(word) for word in part)
        }

    return frozenset(axes)


def put_bounds_first(kernel: Kernel, variables: Mapping[str, int]) -> dict[str, int]:
    """Return the variables of a case, those first that the kernel holds an index against."""
    code = blank_comments_and_literals(kernel.source)
    bounds = dict.fromkeys(_BOUND.findall(code))
    names = [f"{bound}_" for bound in bounds if f"{bound}_" in variables]
    return {name: variables[name] for name in (*names, *variables)}
