"""Find the pybind11 and TORCH_LIBRARY registrations in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.files.source_text import SourceText
from crawler.model import Binding

# the registrations are calls of a library whose headers a parse may lack, so text is searched,
# with its strings, which are the names
_REGISTRATION: Final = re.compile(
    r"\b\w+\s*+\.\s*+(def|impl)\s*+\(\s*+\"([^\"]+)\"\s*+,"
    r"\s*+&?\s*+(?:TORCH_FN\(\s*+)?([A-Za-z_][\w:]*)"
)
_REGISTRATION_WORDS: Final = ("def(", "impl(", "def (")
_PYBIND11_MODULE: Final = "PYBIND11_MODULE"


def find_bindings(source: SourceText) -> Iterator[Binding]:
    """Yield the bindings that a file writes down."""
    if not any(word in source.raw for word in _REGISTRATION_WORDS):
        return

    kind = "pybind11" if _PYBIND11_MODULE in source.raw else "torch_library"
    for registration in _REGISTRATION.finditer(source.raw):
        # a schema may follow the name: `def("add(Tensor a) -> Tensor", …)`
        name = registration[2].split("(")[0]
        yield Binding(
            name=name,
            function=registration[3],
            span=source.make_span(registration.start(), registration.end()),
            kind=kind,
        )
