"""A registry of npm packages on this machine, which npm itself is pointed at."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def make_package(files: Mapping[str, str]) -> bytes:
    """Return the archive of a package that holds `files`."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as members:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text.encode())
            members.addfile(member, io.BytesIO(text.encode()))
    return archive.getvalue()


def compute_integrity(archive: bytes) -> str:
    """Return the digest of an archive as locks have it."""
    return f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"


@contextlib.contextmanager
def serving(name: str, version: str, archive: bytes) -> Iterator[str]:
    """Give the address of a registry that has this package and no other."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_archive = self.path.endswith(".tgz")
            content = archive if is_archive else json.dumps(describe(self)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    def describe(handler: BaseHTTPRequestHandler) -> dict[str, object]:
        tarball = f"http://{handler.headers['Host']}/archive.tgz"
        dist = {"tarball": tarball, "integrity": compute_integrity(archive)}
        release = {"name": name, "version": version, "dist": dist}
        tags = {"latest": version}
        return {"name": name, "dist-tags": tags, "versions": {version: release}}

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
