"""A model whose answers a test scripts, behind OpenAI's API on loopback, ill-behaved on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["ModelHandler"], None]
"""Answers one request in its own way."""
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}


class ScriptedModel:
    """What is answered in order, the last one for ever, and what was asked."""

    def __init__(self, replies: Sequence[str | Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()
        """What requests wait for that are held."""
        self._lock = threading.Lock()

    def take(self, request: dict[str, Any], key: str | None) -> str | Reply:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class ModelHandler(BaseHTTPRequestHandler):
    """One request to the model."""

    model: ScriptedModel

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(size))
        reply = self.model.take(request, self.headers.get("Authorization"))
        try:
            if isinstance(reply, str):
                self.answer(reply)
            else:
                reply(self)
        except OSError:
            # whoever asked has gone
            pass

    def answer(self, text: str) -> None:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = {"model": "scripted-1", "choices": [choice], "usage": USAGE}
        self.send(200, json.dumps(body).encode())

    def send(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


def refuse(status: int, content: str = "", **headers: str) -> Reply:
    """Return what answers with a status, a body and headers."""
    return lambda handler: handler.send(status, content.encode(), **headers)


def hang(handler: ModelHandler) -> None:
    """Say nothing until the test is over."""
    handler.model.released.wait(120)


def drip(handler: ModelHandler) -> None:
    """Send a byte now and then, each in good time."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.model.released.wait(0.1):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def pour(handler: ModelHandler) -> None:
    """Send without end."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.model.released.is_set():
        handler.wfile.write(b" " * 65536)


def cut(handler: ModelHandler) -> None:
    """End the connection within an answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


@contextmanager
def serve_model(*replies: str | Reply) -> Iterator[tuple[str, ScriptedModel]]:
    """Serve on loopback; yields the address that clients are given, and the model."""
    model = ScriptedModel(replies)
    handler = type("Handler", (ModelHandler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", model
    finally:
        model.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
