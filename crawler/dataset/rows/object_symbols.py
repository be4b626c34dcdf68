"""Tell which symbol of an object an instantiation is.

A source's own mangled name need not be it: a unit's kernel stands in no unnamed namespace, and a
host's compiler gives a HIP kernel the name of its stub.
"""

from __future__ import annotations

from typing import Final

from crawler.model import Build, KernelRecord, KernelUnit
from crawler.validate.bundle.kernel_symbols import match_kernel_symbols

# the Itanium ABI's unnamed namespace, and clang's name for what launches a HIP kernel
_MARKS_OF_SOURCES: Final = ("_GLOBAL__N_", "__device_stub__")


class ObjectSymbols:
    """The symbols of the objects of a record's units, found once each."""

    def __init__(self, record: KernelRecord) -> None:
        self._record = record
        self._symbols: dict[tuple[str, str], tuple[str, ...]] = {}

    def find(self, unit: KernelUnit, build: Build, position: int) -> str:
        """Return the symbol of an instantiation in a build of its unit; empty where it is not
        known.

        `position` counts the unit's instantiations; a plain kernel is the first.
        """
        key = (build.unit, build.target)
        if key not in self._symbols:
            entries = match_kernel_symbols(unit, build.symbols)
            self._symbols[key] = tuple(entry.symbol for entry in entries)
        return self._symbols[key][position]

    def find_in_unit(self, label: str, symbol: str) -> str:
        """Return the symbol of the kernel's instantiation `label` in an object of its unit.

        `symbol`, its name in the source, serves where nothing is built and it says no more than
        that; else it is empty.
        """
        unit = self._record.kernel.unit
        position = None if unit is None else find_position(unit, label)
        if unit is not None and position is not None:
            for build in self._record.builds:
                if build.unit != unit.digest or not build.symbols:
                    continue
                own_symbol = self.find(unit, build, position)
                if own_symbol:
                    return own_symbol

        is_of_source = any(mark in symbol for mark in _MARKS_OF_SOURCES)
        return "" if is_of_source else symbol


def find_position(unit: KernelUnit, label: str) -> int | None:
    """Return which instantiation of the unit is called `label`; `None` where none is."""
    labels = [instantiation.label for instantiation in unit.instantiations]
    # what is no template instantiates nothing, and is there all the same
    if not labels and not label:
        return 0

    return labels.index(label) if label in labels else None
