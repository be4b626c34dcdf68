"""Render a whole translation unit as a text that compiles alone, to hold units against."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.cpp import language_standard
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.emit_unit import render_unit_source
from crawler.extract.closure.includes.installed_headers import list_versions
from crawler.extract.ladder.flat_unit import (
    FlatUnit,
    flatten_unit,
    list_required_headers,
)
from crawler.extract.ladder.parsed_flat_unit import parse_flat_unit
from crawler.extract.unit.missing_headers.stub_declarations import (
    collect_error_messages,
)
from crawler.model import Closure, CompileCommand

_MAX_SECONDS_BEFORE_MENDING: Final = 8.0
"""Up to four more parses serve the proof of fidelity alone: a third of a large unit's time."""


def render_whole_unit(
    clang_unit: ClangUnit,
    root: Path,
    command: CompileCommand,
    context: UnitContext,
    *,
    spent_seconds: float = 0.0,
) -> str:
    """Return a parsed unit as a text that compiles alone: headers, macros, then its pieces.

    It is empty where the unit is too much to flatten. Where its parse has errors, as of a header
    that is not to be had, the host's declarations go in which they stand; it is empty, too, where
    the `spent_seconds` of the CPU leave no time for that.
    """
    has_errors = bool(collect_error_messages(clang_unit))
    if has_errors and spent_seconds > _MAX_SECONDS_BEFORE_MENDING:
        return ""

    flat_unit = flatten_unit(clang_unit, root, command, context)
    if flat_unit is None:
        return ""

    standard = language_standard.requested_standard(command.arguments)
    text = flat_unit.text
    if has_errors:
        text = _drop_broken_host_code(flat_unit, context, standard)

    defines = (define.partition("=") for define in context.defines)
    includes = list_required_headers(flat_unit, context)
    closure = Closure(
        includes=includes,
        libraries=list_versions(includes, context.installed_headers),
        fragments=(
            *(f"#define {name} {value or 1}" for name, _, value in defines),
            text,
        ),
    )
    source = render_unit_source(closure, (), standard)
    return source.encode("latin-1", "replace").decode("utf-8", "replace")


def _drop_broken_host_code(
    flat_unit: FlatUnit, context: UnitContext, standard: str
) -> str:
    parsed_unit = parse_flat_unit(flat_unit, context, standard)
    return parsed_unit.source.raw if parsed_unit else flat_unit.text
