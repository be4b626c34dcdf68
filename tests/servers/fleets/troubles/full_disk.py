"""Disks that are full: that of a host of workers, and the database's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.servers.fleets.host import Host
from tests.servers.fleets.trial import Trouble

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet

_MOUNT = 'mount -t tmpfs -o mode=755,size=16m tmpfs "$0" && exec "$@"'


_ROOM = 2 << 20
"""Bytes that must be free there before a task starts."""


def own_mounts() -> list[str]:
    """What stands before a command that mounts what nobody else sees."""
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]


class FullDisk(Trouble):
    """Nothing more can be written under a host's home."""

    name = "disk full"
    end_name = "disk freed"

    @contextmanager
    def open_host(self, fleet: Fleet) -> Iterator[Host]:
        home = fleet.home.with_name("full")
        home.mkdir()
        # the log is opened before the mount hides its folder
        self.host = Host(
            home,
            {**fleet.environment, "KERNELSET_FREE_BYTES": str(_ROOM)},
            prefix=[*own_mounts(), "sh", "-c", _MOUNT, home],
        )
        yield self.host

    def begin(self, fleet: Fleet) -> None:
        # a task that ends meanwhile leaves the room that it took
        assert int(self.host.ask("fill")) < _ROOM

    def end(self, fleet: Fleet) -> None:
        assert int(self.host.ask("free")) > _ROOM
