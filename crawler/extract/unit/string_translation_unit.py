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
from crawler.sandbox.process_folders import make_prefix

TextParser = Callable[[str, Dialect], Sequence[KernelFacts]]
"""Returns the kernels that the AST of a text shows."""
FactsExtractor = Callable[[Path, CompileCommand], UnitFacts]
"""Returns the facts of the unit of a command in a folder."""
_FILE_NAME: Final = "string.cu"


def parse_string_kernels(
    text: str, dialect: Dialect, extract_facts: FactsExtractor
) -> tuple[KernelFacts, ...]:
    """Return the kernels that the AST of a text shows, with their places in the text.

    The text holds one character for each byte.
    """
    command = CompileCommand(
        directory=".",
        file=_FILE_NAME,
        arguments=(),
        dialect=dialect,
        origin=FlagsOrigin.SYNTHESISED,
    )

    # a folder of its own: the text includes nothing of the project
    with tempfile.TemporaryDirectory(prefix=make_prefix("string")) as folder:
        Path(folder, _FILE_NAME).write_bytes(text.encode("latin-1", "replace"))
        kernels = extract_facts(Path(folder), command).kernels

    return tuple(kernel for kernel in kernels if kernel.found_by is Layer.AST)


def merge_ast_sighting(
    string_sighting: KernelFacts,
    ast_sighting: KernelFacts,
    map_span: Callable[[Span], Span],
) -> KernelFacts:
    """Return what the text showed of a kernel in a string with what its AST adds.

    `map_span` maps a range of the string's text to one of the file.
    """
    closure = ast_sighting.closure
    if closure is not None:
        closure = replace(
            closure,
            origins=tuple(span and map_span(span) for span in closure.origins),
            state=tuple(
                replace(variable, span=map_span(variable.span))
                for variable in closure.state
            ),
        )

    return replace(
        string_sighting,
        qualified_name=ast_sighting.qualified_name,
        mangled=ast_sighting.mangled,
        parameters=ast_sighting.parameters,
        template_parameters=ast_sighting.template_parameters,
        instantiations=ast_sighting.instantiations,
        closure=closure,
    )
