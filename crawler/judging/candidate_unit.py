"""A candidate's source as a unit: what is compiled for targets, and timed on a GPU."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from crawler.model import KernelUnit
from crawler.validate.harness.prelude_text import split_prelude


def make_candidate_unit(unit: KernelUnit, source: str) -> KernelUnit:
    """Return the unit with another source, of which no rule knows anything."""
    encoded = source.encode("utf-8", "surrogateescape")
    return replace(
        unit,
        source=source,
        digest=hashlib.sha256(encoded).hexdigest(),
        making=(),
        attempts=(),
        port_report=None,
    )


def put_candidate_in_unit(unit: KernelUnit, source: str) -> KernelUnit:
    """Return the unit with a candidate's source behind the unit's own prelude."""
    header, _ = split_prelude(unit.source)
    whole = f"#include <{header}>\n{source}" if header else source
    return make_candidate_unit(unit, whole)
