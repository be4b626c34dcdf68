"""Servers of a fleet that forget or go away, for everybody and at once."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from tests.servers.fleets.trial import Trouble
from tests.servers.valkey import Valkey

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet


class FlushedBroker(Trouble):
    """All messages are lost."""

    name = "broker flushed"

    def begin(self, fleet: Fleet) -> None:
        assert isinstance(fleet.broker, Valkey)
        fleet.broker.ask("FLUSHALL")


class RestartedBroker(Trouble):
    """All messages and connections are lost."""

    name = "broker restarted"

    def begin(self, fleet: Fleet) -> None:
        assert isinstance(fleet.broker, Valkey)
        fleet.broker.stop()
        fleet.broker.start()


class RestartedDatabase(Trouble):
    """The server ends as by a crash, and comes back."""

    name = "database restarted"

    def begin(self, fleet: Fleet) -> None:
        fleet.postgres.stop(signal.SIGQUIT)
        fleet.postgres.start()
