"""What of a project made recorded launches, and how many of them are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.recordings.recorded_launch import RecordedLaunch

_MAX_KEPT_BYTES: Final = 4 << 20
"""Of the launches of one kernel, as they are kept."""
_MAX_KEPT_LAUNCHES: Final = 64
"""Of one kernel: far fewer become cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingSource:
    """A program, a launcher or a test of a project."""

    origin: CaseOrigin
    name: str
    licence: str

    def mark_launches(
        self, launches: Iterable[RecordedLaunch]
    ) -> tuple[RecordedLaunch, ...]:
        """Return launches with where they come from, the smallest first, as many as are kept."""
        marked_launches: list[RecordedLaunch] = []
        size = 0
        for launch in sorted(launches, key=lambda each: (each.size, each.number)):
            size += launch.kept_bytes
            if size > _MAX_KEPT_BYTES or len(marked_launches) == _MAX_KEPT_LAUNCHES:
                break
            marked_launches.append(
                replace(
                    launch,
                    origin=self.origin,
                    source=self.name,
                    licence=self.licence,
                )
            )

        return tuple(marked_launches)
