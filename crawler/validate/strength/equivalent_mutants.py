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

_MAX_COMPILED: Final = 24
"""Mutants that are compiled by themselves to see."""


def find_equivalent_mutants(
    unit: KernelUnit, changes: Mapping[int, Change], entry: int | None = None
) -> frozenset[int]:
    """Return those of the changes that leave the machine code of `unit` as it is: no case can
    tell them.

    There may be others that change the code and not what it computes: nobody can know them all.
    """
    if not changes:
        return frozenset()

    machine_code = compile_cpu_object(unit, entry=entry)
    if not machine_code:
        return frozenset()

    equivalent: set[int] = set()

    # each costs a compilation of seconds
    for number in islice(sorted(changes), _MAX_COMPILED):
        mutant = _apply_change(unit, changes[number])
        if compile_cpu_object(mutant, entry=entry) == machine_code:
            equivalent.add(number)

    return frozenset(equivalent)


def _apply_change(unit: KernelUnit, change: Change) -> KernelUnit:
    source = unit.source.encode("utf-8", "surrogateescape")
    replaced_lines = source[change.begin : change.end].count(b"\n")
    # lines keep their numbers, which assertions compile into the code
    missing_lines = replaced_lines - change.text.count("\n")
    text = f"({change.text})" + "\n" * missing_lines
    changed = (
        source[: change.begin]
        + text.encode("utf-8", "surrogateescape")
        + source[change.end :]
    )

    return replace(
        unit,
        source=changed.decode("utf-8", "surrogateescape"),
        digest=hashlib.sha256(changed).hexdigest(),
    )
