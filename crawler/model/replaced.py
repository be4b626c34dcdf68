"""A part of something in order, and what stands there instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What stands in place of what is from `start` to `end`; between two where these are the same."""

    start: int
    end: int
    text: str
