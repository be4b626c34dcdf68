"""A network that lets nothing through between some workers and the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tests.servers.fleets.host import Host
from tests.servers.fleets.trial import Trouble

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet


class Partition(Trouble):
    """The database is silent: nothing arrives, nothing is refused, no connection ends."""

    name = "partition"
    end_name = "partition mended"

    @contextmanager
    def open_host(self, fleet: Fleet) -> Iterator[Host]:
        with Relay(fleet.database).running() as self.relay:
            environment = {**fleet.environment, "KERNELSET_DATABASE": self.relay.url}
            yield Host(fleet.home.with_name("cut off"), environment)

    def begin(self, fleet: Fleet) -> None:
        self.relay.pass_on(False)

    def end(self, fleet: Fleet) -> None:
        self.relay.pass_on(True)


class Relay:
    """Hands on what goes to and from a database, or for a while holds all of it back."""

    def __init__(self, database: str) -> None:
        address = urlsplit(database)
        (folder,), (port,) = (
            parse_qs(address.query)[name] for name in ("host", "port")
        )
        self._socket = Path(folder) / f".s.PGSQL.{port}"
        self._login = f"{address.scheme}://{address.username}"
        self._name = address.path
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._loop = asyncio.new_event_loop()

    @contextmanager
    def running(self) -> Iterator[Relay]:
        server = self._loop.run_until_complete(
            asyncio.start_server(self._connect, "127.0.0.1", 0)
        )
        port = server.sockets[0].getsockname()[1]
        self.url = f"{self._login}@127.0.0.1:{port}{self._name}"
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.close()
            asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result(10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(10)
            self._loop.close()

    def pass_on(self, is_open: bool) -> None:
        """Let through what comes from now on, and what was held back; or nothing."""
        change = self._is_open.set if is_open else self._is_open.clear
        self._loop.call_soon_threadsafe(change)

    async def _end_all(self) -> None:
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connect(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writers = [writer]
        try:
            await self._is_open.wait()
            behind, ahead = await asyncio.open_unix_connection(self._socket)
            writers.append(ahead)
            await asyncio.gather(
                self._hand_on(reader, ahead), self._hand_on(behind, writer)
            )
        except OSError:
            # the database is away: so is this
            pass
        finally:
            for opened in writers:
                opened.transport.abort()

    async def _hand_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while content := await reader.read(1 << 16):
                # the end of a connection does not arrive either
                await self._is_open.wait()
                writer.write(content)
                await writer.drain()
        await self._is_open.wait()
        writer.close()
