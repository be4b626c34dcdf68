"""Leave out how many elements dynamic arrays of shared memory have: HIP's compiler refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.dynamic_arrays import find_dynamic_extents
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit


class _DynamicArrays:
    name = "dynamic_arrays"
    order = 30
    keeps_lines = False
    example = "__global__ void k() { extern __shared__ float tile[32][33]; }\n"

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        if not {"extern", "__shared__"} <= source.words:
            return

        for start, end in find_dynamic_extents(source.text):
            extent = source.text[start:end]
            yield RuleEdit(
                start=start,
                end=end,
                replacement="",
                rule="dynamic-array",
                before=f"[{extent}]",
                after="[]",
            )


PLUGIN: Final[PortRule] = _DynamicArrays()
