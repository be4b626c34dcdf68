"""What is done to a fleet at work, and how that went."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet
    from tests.servers.fleets.host import Host


@dataclass(kw_only=True)
class Trouble:
    """Something that befalls a fleet once, when a share of its tasks is done."""

    at: float
    """The share."""
    seconds: float = 0.0
    """How long it lasts."""

    name = ""
    mended = ""
    """What is said of its end; empty for what is over at once."""

    def open_host(self, fleet: Fleet) -> AbstractContextManager[Host | None]:
        """Give a host that it befalls, where that is not all of the fleet, before workers start."""
        return nullcontext()

    def begin(self, fleet: Fleet) -> None:
        """Let it come."""
        raise NotImplementedError

    def end(self, fleet: Fleet) -> None:
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
class Ended:
    """How a run went."""

    seconds: float = 0.0
    kills: int = 0
    """Workers and dispatchers killed."""
    stops: int = 0
    """Workers that ended by themselves and were started again."""
    happened: list[str] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)
    done_twice: int = 0
    """Tasks of which more than one end was told."""
    orphans: int = 0
    wrong: int = 0
    """Tasks whose result is not what it should be."""
    mixed: int = 0
    """Tasks that a worker of another version ended than the one that they are for."""
    done_there: int = 0
    """Tasks that ended on the hosts which something befell."""

    def is_sound(self, tasks: int) -> bool:
        """Tell whether all was done, once, and rightly."""
        faults = self.done_twice, self.orphans, self.wrong, self.mixed
        return self.states == {"done": tasks} and not any(faults)
