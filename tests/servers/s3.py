"""An S3 server of our own, and one in front of it that fails and dawdles as it is told."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@dataclass
class S3:
    """A running server: its own address, and that of the one in front of it."""

    url: str
    unreliable: str = ""
    errors: float = 0.0
    """The share of requests that get a 503 from the one in front."""
    slow: float = 0.0
    """The share of requests that wait `delay` seconds there."""
    delay: float = 2.0
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of what went through it."""


@contextmanager
def serving() -> Iterator[S3]:
    """A server for as long as the block runs."""
    os.environ.update(CREDENTIALS)
    from moto.server import ThreadedMotoServer

    # a line for each request costs more than the request
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    state = S3(f"http://{host}:{port}")
    with _in_front(state) as state.unreliable:
        yield state
    server.stop()


@contextmanager
def _in_front(state: S3) -> Iterator[str]:
    chance = random.Random(8)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            state.asked.append((self.command, self.path))
            if chance.random() < state.slow:
                time.sleep(state.delay)
            if chance.random() < state.errors:
                self._answer(503, {}, b"")
                return
            behind = urlsplit(state.url)
            connection = HTTPConnection(str(behind.hostname), behind.port, timeout=60)
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() != "connection"
            }
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            self._answer(answer.status, dict(answer.getheaders()), answer.read())
            connection.close()

        do_PUT = do_POST = do_DELETE = do_HEAD = do_GET  # noqa: N815

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() not in (
                    "content-length",
                    "connection",
                    "transfer-encoding",
                ):
                    self.send_header(name, value)
            length = (
                headers.get("Content-Length", "0")
                if self.command == "HEAD"
                else str(len(body))
            )
            self.send_header("Content-Length", length)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
