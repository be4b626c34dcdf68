"""Find the pybind11 and TORCH_LIBRARY registrations in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.source_text import SourceText
from crawler.model import Binding

_DEF: Final = re.compile(
    r"\b\w+\s*+\.\s*+(def|impl)\s*+\(\s*+\"([^\"]+)\"\s*+,\s*+&?\s*+(?:TORCH_FN\(\s*+)?([A-Za-z_][\w:]*)"
)
_PYBIND: Final = "PYBIND11_MODULE"


def find_bindings(source: SourceText) -> Iterator[Binding]:
    """Yield the bindings that a file writes down."""
    if (
        "def(" not in source.raw
        and "impl(" not in source.raw
        and "def (" not in source.raw
    ):
        return
    kind = "pybind11" if _PYBIND in source.raw else "torch_library"
    for match in _DEF.finditer(source.raw):
        span = source.make_span(match.start(), match.end())
        yield Binding(
            name=match.group(2).split("(")[0],
            function=match.group(3),
            span=span,
            kind=kind,
        )
