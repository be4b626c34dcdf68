"""A text that is no file of its project, parsed as the only file of a project of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.model import CompileCommand, Dialect, FlagsOrigin, KernelSighting, Layer, Span, UnitFacts

Parsed = Callable[[str, Dialect], Sequence[KernelSighting]]
"""Gives the kernels that the AST of a text shows."""
Observe = Callable[[Path, CompileCommand], UnitFacts]
_NAME: Final = "string.cu"


def compiled(text: str, dialect: Dialect, observe: Observe) -> tuple[KernelSighting, ...]:
    """Return the kernels that the AST of a text shows, a character a byte, with their places in it."""
    command = CompileCommand(directory=".", file=_NAME, arguments=(), dialect=dialect, origin=FlagsOrigin.SYNTHESISED)
    with tempfile.TemporaryDirectory(prefix="kernelset-string-") as folder:
        Path(folder, _NAME).write_bytes(text.encode("latin-1", "replace"))
        shown = observe(Path(folder), command).kernels
    return tuple(one for one in shown if one.found_by is Layer.AST)


def adopted(written: KernelSighting, shown: KernelSighting, moved: Callable[[Span], Span]) -> KernelSighting:
    """Return what the text showed of a kernel in a string with what its AST adds; `moved` gives places in the file."""
    closure = shown.closure
    if closure is not None:
        state = tuple(replace(one, span=moved(one.span)) for one in closure.state)
        origins = tuple(span and moved(span) for span in closure.origins)
        closure = replace(closure, origins=origins, state=state)
    return replace(
        written,
        qualified_name=shown.qualified_name,
        mangled=shown.mangled,
        parameters=shown.parameters,
        template_parameters=shown.template_parameters,
        instantiations=shown.instantiations,
        closure=closure,
    )
