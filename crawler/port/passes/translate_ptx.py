"""Replace inline PTX assembly by the HIP expression that does the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit
from crawler.ptx.inline_assembly import find_assembly_statements
from crawler.ptx.translation import translate_assembly


class _TranslatePtx:
    name = "translate_ptx"
    order = 30
    keeps_lines = False

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        for assembly in find_assembly_statements(source):
            replacement = translate_assembly(assembly)
            if not replacement:
                continue
            yield RuleEdit(
                start=assembly.start,
                end=assembly.end,
                replacement=replacement,
                rule="ptx",
                before=assembly.template,
                after=replacement,
            )


PLUGIN: Final[PortRule] = _TranslatePtx()
