"""Read a translation unit for the first time, with the bodies that its kernels may use."""

from __future__ import annotations

from pathlib import Path

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.passes.parse_pass import ParsePass, read_pass
from crawler.extract.unit.missing_headers.missing_includes import (
    load_with_missing_includes,
)
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit
from crawler.model import CompileCommand


def read_first_pass(
    root: Path, command: CompileCommand, sources: SourceFiles
) -> tuple[TranslationUnit, ParsePass]:
    """Return the unit of a command, and what its parse shows.

    Raises `ParseFailed` where nothing can be parsed.
    """
    unit = load_with_missing_includes(root, command, sources)
    first_pass = read_pass(unit.clang_unit, unit)
    # the first reading of the text could not know all words that may stand for a use
    if not first_pass.use_words.isdisjoint(unit.elided_files.elided_words):
        unit = load_translation_unit(
            root,
            unit.command,
            sources,
            keep_bodies=True,
            libraries=unit.libraries,
            assumed_types=unit.assumed_types,
        )
        first_pass = read_pass(unit.clang_unit, unit)

    return unit, first_pass
