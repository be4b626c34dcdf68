"""Projects for the contract of the source `pypi`."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from crawler.sources.package_index.index import get_index_client
from crawler.sources.package_index.pip_settings import read_pip_settings
from tests.contract.source_project import (
    CHANGED_FILES,
    FILES,
    SourceProject,
    make_sdist,
)

CREDENTIALS = "reader:secret"
PAGE = b'<a href="/files/waves-1.0.tar.gz">waves-1.0.tar.gz</a>'


@dataclass
class Index:
    """A package index on loopback, with a password, and with one release at most."""

    url: str = ""
    archive: bytes = b""


@contextmanager
def serve_index() -> Iterator[Index]:
    index = Index()
    authorization = "Basic " + base64.b64encode(CREDENTIALS.encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != authorization:
                self.send_error(401)
            elif self.path.startswith("/simple/waves/") and index.archive:
                self.reply(PAGE, "text/html")
            elif self.path.startswith("/files/") and index.archive:
                self.reply(index.archive, "application/gzip")
            else:
                self.send_error(404)

        def reply(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        index.url = f"http://{CREDENTIALS}@127.0.0.1:{server.server_port}/simple"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield index
        server.shutdown()


def make_release(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    with serve_index() as index:
        index.archive = make_sdist(FILES)
        configure_pip(monkeypatch, index.url)
        forget_configuration()
        yield SourceProject(
            locator="pypi:waves==1.0",
            missing_locator="pypi:no-such-waves",
            name="waves",
            change=lambda: setattr(index, "archive", make_sdist(CHANGED_FILES)),
            remove=lambda: setattr(index, "archive", b""),
        )
    forget_configuration()


def configure_pip(monkeypatch: pytest.MonkeyPatch, index_url: str) -> None:
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", index_url)
    monkeypatch.setenv("PIP_TRUSTED_HOST", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def forget_configuration() -> None:
    read_pip_settings.cache_clear()
    get_index_client.cache_clear()


PROJECTS = (make_release,)
