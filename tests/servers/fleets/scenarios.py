"""The ways in which a cluster is disturbed, each by its name."""

from __future__ import annotations

from collections.abc import Callable

from tests.servers.fleets.trial import Trial
from tests.servers.fleets.troubles.clock import JumpingClock
from tests.servers.fleets.troubles.full_disk import FullDisk
from tests.servers.fleets.troubles.partition import Partition
from tests.servers.fleets.troubles.previous_version import PreviousVersion
from tests.servers.fleets.troubles.servers import (
    FlushedBroker,
    RestartedBroker,
    RestartedDatabase,
)

UNDISTURBED = "undisturbed"


def _restart(every: float, dispatcher_every: float = 0.0) -> Trial:
    return Trial(
        kill_every=every,
        kill_dispatcher_every=dispatcher_every,
        troubles=(
            FlushedBroker(at=0.25),
            RestartedBroker(at=0.5),
            RestartedDatabase(at=0.75),
        ),
    )


SCENARIOS: dict[str, Callable[[float, float], Trial]] = {
    UNDISTURBED: lambda every, seconds: Trial(),
    "servers restarted": lambda every, seconds: _restart(every),
    "dispatchers killed": lambda every, seconds: _restart(every, 2 * every),
    "partition": lambda every, seconds: Trial(
        kill_every=every, troubles=(Partition(at=0.1, seconds=seconds),)
    ),
    "full disk": lambda every, seconds: Trial(
        kill_every=every, troubles=(FullDisk(at=0.1, seconds=seconds),)
    ),
    "jumping clock": lambda every, seconds: Trial(
        kill_every=every, troubles=(JumpingClock(at=0.2, seconds=seconds / 2),)
    ),
    "previous version": lambda every, seconds: Trial(
        kill_every=every, troubles=(PreviousVersion(at=0.0),)
    ),
}
"""Each is made of the seconds between two kills, and of those that a trouble lasts."""
