"""One call of make."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCall:
    """A folder to call make in, its makefile, and what is set and asked for."""

    folder: str
    makefile: str
    assignments: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after `make`, without options that say how it is run."""
        return ("-f", self.makefile, *self.assignments, *self.goals)
