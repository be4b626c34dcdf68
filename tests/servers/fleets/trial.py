"""What is done to a fleet at work, and how it comes through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet
    from tests.servers.fleets.host import Host


@dataclass(kw_only=True)
class Trouble(ABC):
    """Something that befalls a fleet once, when a share of its tasks is done."""

    at: float
    """The share."""
    seconds: float = 0.0
    """How long it lasts."""

    name = ""
    end_name = ""
    """What its end is called; empty for what is over at once."""

    def open_host(self, fleet: Fleet) -> AbstractContextManager[Host | None]:
        """Give a host that it befalls, where that is not all of the fleet, before workers start."""
        return nullcontext()

    @abstractmethod
    def begin(self, fleet: Fleet) -> None:
        """Let it come."""

    def end(self, fleet: Fleet) -> None:  # noqa: B027 - what is over at once mends nothing
        """Mend it."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What is done to a fleet at work."""

    kill_every: float = 0.0
    """Seconds between two kills of a random worker."""
    kill_dispatcher_every: float = 0.0
    """Seconds between two kills of a dispatcher, in turns."""
    troubles: tuple[Trouble, ...] = ()


@dataclass
class TrialOutcome:
    """How a fleet came through a trial."""

    seconds: float = 0.0
    kills: int = 0
    """Workers and dispatchers killed."""
    stops: int = 0
    """Workers that ended by themselves and were started again."""
    trouble_names: list[str] = field(default_factory=list)
    """Of what befell it, and of what mended that, in their order."""
    states: dict[str, int] = field(default_factory=dict)
    """How many tasks are in each state."""
    repeated_tasks: int = 0
    """Tasks of which more than one end was logged."""
    orphans: int = 0
    """Programs of tasks that outlived their workers."""
    wrong_results: int = 0
    """Tasks whose result is not what it should be."""
    foreign_ends: int = 0
    """Tasks that ended on a host of another version than the one they are for."""
    odd_ends: int = 0
    """Tasks that ended on the hosts that something befell."""

    def is_sound(self, tasks: int) -> bool:
        """Tell whether all was done, once, and rightly."""
        faults = (
            self.repeated_tasks,
            self.orphans,
            self.wrong_results,
            self.foreign_ends,
        )
        return self.states == {"done": tasks} and not any(faults)
