"""Mutants that are the kernel itself: an optimising compiler makes the same machine code of both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.simt.program import object_cpu
from crawler.validate.strength.sites import Change

_MOST: Final = 24
"""Mutants that are compiled by themselves to see."""


def equivalent(unit: KernelUnit, changes: Mapping[int, Change], only: int | None = None) -> frozenset[int]:
    """Return those of the changes that leave the machine code of `unit` as it is: no case can tell them.

    There may be others that change the code and not what it computes: nobody can know them all.
    """
    own = object_cpu(unit, only=only) if changes else b""
    if not own:
        return frozenset()
    some = islice(sorted(changes), _MOST)
    return frozenset(number for number in some if object_cpu(_changed(unit, changes[number]), only=only) == own)


def _changed(unit: KernelUnit, change: Change) -> KernelUnit:
    raw = unit.source.encode("utf-8", "surrogateescape")
    was = raw[change.begin : change.end].decode("utf-8", "surrogateescape")
    text = f"({change.text})" + "\n" * (was.count("\n") - change.text.count("\n"))
    source = (raw[: change.begin] + text.encode("utf-8", "surrogateescape") + raw[change.end :]).decode(
        "utf-8", "surrogateescape"
    )
    return replace(unit, source=source, digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest())
