"""Split inline assembly with preprocessor branches inside into one statement per branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit
from crawler.ptx.conditional_assembly import find_branch_edits


class _SplitConditionalAssembly:
    name = "split_conditional_assembly"
    order = 10
    keeps_lines = True

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        for start, end, replacement in find_branch_edits(source):
            yield RuleEdit(
                start=start,
                end=end,
                replacement=replacement,
                rule="ptx",
                before="#if",
                after="an asm a branch",
            )


PLUGIN: Final[PortRule] = _SplitConditionalAssembly()
