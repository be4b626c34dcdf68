"""Replace inline PTX assembly by the HIP expression that does the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.edits import apply_edits
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit
from crawler.ptx.inline_assembly import MAX_NESTING, find_assembly_statements
from crawler.ptx.translation import translate_assembly


class _TranslatePtx:
    name = "translate_ptx"
    order = 30
    keeps_lines = False

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        for assembly in find_assembly_statements(source):
            replacement = _translate_nested(translate_assembly(assembly))
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


def _translate_nested(text: str) -> str:
    """Return a translation in which the assembly inside operands is translated, too; empty where
    it is nested too deeply.
    """
    # e.g. `"r"(({ unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); lane; }))`
    for _ in range(MAX_NESTING):
        if "asm" not in text:
            return text

        edits = []
        for assembly in find_assembly_statements(MaskedSource(text)):
            replacement = translate_assembly(assembly)
            if replacement:
                edits.append((assembly.start, assembly.end, replacement))

        if not edits:
            return text

        text = apply_edits(text, edits)

    return ""


PLUGIN: Final[PortRule] = _TranslatePtx()
