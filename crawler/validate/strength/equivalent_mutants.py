"""Find mutants equivalent to the kernel: an optimising compiler makes the same machine code of
both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.emulator.program import compile_cpu_object
from crawler.validate.strength.mutation_sites import Change

_MOST: Final = 24
"""Mutants that are compiled by themselves to see."""


def find_equivalent_mutants(
    unit: KernelUnit, changes: Mapping[int, Change], entry: int | None = None
) -> frozenset[int]:
    """Return those of the changes that leave the machine code of `unit` as it is: no case can
    tell them.

    There may be others that change the code and not what it computes: nobody can know them all.
    """
    own = compile_cpu_object(unit, entry=entry) if changes else b""
    if not own:
        return frozenset()
    some = islice(sorted(changes), _MOST)
    return frozenset(
        number
        for number in some
        if compile_cpu_object(_changed(unit, changes[number]), entry=entry) == own
    )


def _changed(unit: KernelUnit, change: Change) -> KernelUnit:
    raw = unit.source.encode("utf-8", "surrogateescape")
    was = raw[change.begin : change.end].decode("utf-8", "surrogateescape")
    text = f"({change.text})" + "\n" * (was.count("\n") - change.text.count("\n"))
    source = (
        raw[: change.begin]
        + text.encode("utf-8", "surrogateescape")
        + raw[change.end :]
    ).decode("utf-8", "surrogateescape")
    return replace(
        unit,
        source=source,
        digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
    )
