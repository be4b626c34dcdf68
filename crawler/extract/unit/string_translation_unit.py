"""Parse the text of a string literal as a translation unit of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.model import (
    CompileCommand,
    Dialect,
    FlagsOrigin,
    KernelFacts,
    Layer,
    Span,
    UnitFacts,
)

TextParser = Callable[[str, Dialect], Sequence[KernelFacts]]
"""Gives the kernels that the AST of a text shows."""
FactsExtractor = Callable[[Path, CompileCommand], UnitFacts]
_NAME: Final = "string.cu"


def parse_string_kernels(
    text: str, dialect: Dialect, extract_facts: FactsExtractor
) -> tuple[KernelFacts, ...]:
    """Return the kernels that the AST of a text shows, a character a byte, with their places in
    it.
    """
    command = CompileCommand(
        directory=".",
        file=_NAME,
        arguments=(),
        dialect=dialect,
        origin=FlagsOrigin.SYNTHESISED,
    )
    with tempfile.TemporaryDirectory(prefix="kernelset-string-") as folder:
        Path(folder, _NAME).write_bytes(text.encode("latin-1", "replace"))
        shown = extract_facts(Path(folder), command).kernels
    return tuple(one for one in shown if one.found_by is Layer.AST)


def merge_ast_sighting(
    string_sighting: KernelFacts,
    ast_sighting: KernelFacts,
    map_span: Callable[[Span], Span],
) -> KernelFacts:
    """Return what the text showed of a kernel in a string with what its AST adds; `map_span`
    gives places in the file.
    """
    closure = ast_sighting.closure
    if closure is not None:
        state = tuple(replace(one, span=map_span(one.span)) for one in closure.state)
        origins = tuple(span and map_span(span) for span in closure.origins)
        closure = replace(closure, origins=origins, state=state)
    return replace(
        string_sighting,
        qualified_name=ast_sighting.qualified_name,
        mangled=ast_sighting.mangled,
        parameters=ast_sighting.parameters,
        template_parameters=ast_sighting.template_parameters,
        instantiations=ast_sighting.instantiations,
        closure=closure,
    )
