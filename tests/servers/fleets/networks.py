"""Networks of their own for the hosts of a fleet, as machines have: a cable each to one switch.

Each host reaches the servers by relays at the switch, which take as long as a way between machines
does, and a part of its packets is lost. Nothing leaves this machine.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tests.servers.fleets.host import Host

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Streams]]


@dataclass(frozen=True)
class Network:
    """A network namespace, and the address of the servers in it."""

    name: str

    @property
    def prefix(self) -> list[str]:
        """What stands before a command that runs in it."""
        return ["ip", "netns", "exec", self.name]


@contextmanager
def open_networks(count: int, loss: float) -> Iterator[tuple[str, list[Network]]]:
    """Give the address of a switch, and networks that reach it and nothing else.

    Of the packets that arrive at either end `loss`, a share, is dropped.
    """
    number = os.getpid() % 250
    switch, start = f"ks{number}", f"10.77.{number}"
    with ExitStack() as stack:
        _run("ip", "link", "add", switch, "type", "bridge")
        stack.callback(_run, "ip", "link", "del", switch)
        _run("ip", "addr", "add", f"{start}.1/24", "dev", switch)
        _run("ip", "link", "set", switch, "up")
        networks = []
        for host in range(count):
            network = Network(f"ks{number}h{host}")
            _run("ip", "netns", "add", network.name)
            stack.callback(_run, "ip", "netns", "del", network.name)
            _connect_cable(network, switch, f"{start}.{host + 2}/24")
            _lose_packets(network, loss)
            networks.append(network)
        yield f"{start}.1", networks


def _connect_cable(network: Network, switch: str, address: str) -> None:
    near, far = f"{network.name}a", f"{network.name}b"
    ends = ["type", "veth", "peer", "name", far, "netns", network.name]
    _run("ip", "link", "add", near, *ends)
    _run("ip", "link", "set", near, "master", switch, "up")
    _run("ip", "-n", network.name, "addr", "add", address, "dev", far)
    _run("ip", "-n", network.name, "link", "set", far, "up")
    _run("ip", "-n", network.name, "link", "set", "lo", "up")


def _lose_packets(network: Network, loss: float) -> None:
    if not loss:
        return
    drop = ["-m", "statistic", "--mode", "random", "--probability", f"{loss}"]
    for chain in ("INPUT", "OUTPUT"):
        rule = ["iptables", "-A", chain, "!", "-i", "lo", *drop, "-j", "DROP"]
        if chain == "OUTPUT":
            rule[4] = "-o"
        _run(*network.prefix, *rule)


@contextmanager
def open_far_hosts(
    fleet: Fleet, count: int, *, delay: float, loss: float
) -> Iterator[list[Host]]:
    """Give hosts of a fleet that reach its servers beyond a network.

    It takes `delay` seconds there and as many back.
    """
    with ExitStack() as stack:
        address, networks = stack.enter_context(open_networks(count, loss))
        servers = (
            _connect_to_postgres(fleet.database),
            _connect_to_port(fleet.broker.url),
            _connect_to_port(fleet.s3.unreliable),
        )
        ports = stack.enter_context(Relays(address, delay).running(servers))
        database = urlsplit(fleet.database)
        login = f"{database.scheme}://{database.username}"
        environment = {
            **fleet.environment,
            "KERNELSET_DATABASE": f"{login}@{address}:{ports[0]}{database.path}",
            "KERNELSET_BROKER": f"redis://{address}:{ports[1]}/0",
            "KERNELSET_S3_ENDPOINT": f"http://{address}:{ports[2]}",
        }
        hosts = []
        for number, network in enumerate(networks):
            home = fleet.home.with_name(f"far {number}")
            hosts.append(Host(home, environment, prefix=network.prefix))
            stack.callback(hosts[-1].close)
        yield hosts


def can_open_networks() -> bool:
    """Tell whether this machine lets us make a network that loses packets."""
    try:
        with open_networks(1, 0.5):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


def _connect_to_postgres(database: str) -> Connect:
    """Return what connects to the server of an address that names a folder."""
    query = parse_qs(urlsplit(database).query)
    (folder,), (port,) = query["host"], query["port"]
    path = Path(folder) / f".s.PGSQL.{port}"
    return lambda: asyncio.open_unix_connection(path)


def _connect_to_port(address: str) -> Connect:
    """Return what connects to the server of a URL."""
    parts = urlsplit(address)
    return lambda: asyncio.open_connection(parts.hostname, parts.port)


class Relays:
    """Hand on what goes to and from servers, each piece a while after it came."""

    def __init__(self, address: str, delay: float) -> None:
        self._address, self._delay = address, delay
        self._servers: list[asyncio.Server] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @contextmanager
    def running(self, connects: Sequence[Connect]) -> Iterator[list[int]]:
        """Give the port at which each server is reached."""
        self._thread.start()
        try:
            yield [
                asyncio.run_coroutine_threadsafe(
                    self._listen(connect), self._loop
                ).result(10)
                for connect in connects
            ]
        finally:
            asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result(10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop.close()

    async def _listen(self, connect: Connect) -> int:
        async def answer(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writers = [writer]
            try:
                behind, ahead = await connect()
                writers.append(ahead)
                await asyncio.gather(
                    self._hand_on(reader, ahead), self._hand_on(behind, writer)
                )
            except (OSError, asyncio.CancelledError):
                # the server is away, or all ends: so does this
                pass
            finally:
                for opened in writers:
                    opened.transport.abort()

        server = await asyncio.start_server(answer, self._address, 0)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _hand_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._write_late(pieces, writer))
            with suppress(OSError):
                while piece := await reader.read(1 << 16):
                    pieces.put_nowait((self._loop.time() + self._delay, piece))
            pieces.put_nowait((self._loop.time() + self._delay, b""))

    async def _write_late(
        self, pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while True:
                due_at, piece = await pieces.get()
                await asyncio.sleep(max(0.0, due_at - self._loop.time()))
                if not piece:
                    break
                writer.write(piece)
                await writer.drain()
        writer.close()

    async def _end_all(self) -> None:
        for server in self._servers:
            server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
