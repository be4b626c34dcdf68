"""Repositories of our own, and a server of them, by git itself."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

GIT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_NAME": "a person" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "person@example.org" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_DATE": "2024-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}


@dataclass(frozen=True)
class GitProject:
    """A repository of our own, written object by object where git itself would refuse."""

    folder: Path

    def git(self, *argv: str, stdin: bytes = b"") -> str:
        ended = subprocess.run(
            ["git", "-C", self.folder, *argv],
            env=GIT,
            input=stdin,
            capture_output=True,
            check=True,
        )
        return ended.stdout.decode().strip()

    def blob(self, content: bytes) -> str:
        return self.git(
            "hash-object", "-w", "--stdin", "-t", "blob", "--literally", stdin=content
        )

    def tree(self, *entries: tuple[str, bytes, str]) -> str:
        """Write a tree of (mode, name, object id), whatever git thinks of it."""
        raw = b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid)
            for mode, name, oid in entries
        )
        return self.git(
            "hash-object", "-w", "--stdin", "-t", "tree", "--literally", stdin=raw
        )

    def commit_tree(self, tree: str) -> str:
        commit = self.git("commit-tree", tree, "-m", "a commit")
        self.git("update-ref", "refs/heads/main", commit)
        return commit

    def commit(self, files: Mapping[str, str | bytes]) -> str:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a commit")
        return self.git("rev-parse", "HEAD")


@dataclass
class GitServer:
    """The repositories below a folder over smart HTTP, by git's own `http-backend`."""

    url: str
    refuse: int = 0
    """A status that every request gets instead."""
    password: str = ""
    """`NAME:WORD` that is asked for."""
    moved: dict[str, str] = field(default_factory=dict)
    """Where a path that begins so is now."""
    sent: list[tuple[str, int]] = field(default_factory=list)
    """Path and bytes of each answer."""


@contextmanager
def serving(folder: Path) -> Iterator[GitServer]:
    """Serve the repositories below a folder for as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            word = "Basic " + base64.b64encode(state.password.encode()).decode()
            if state.refuse or (
                state.password and self.headers.get("Authorization") != word
            ):
                self.send_response(state.refuse or 401)
                self.send_header("WWW-Authenticate", 'Basic realm="here"')
                self.end_headers()
                return
            for old, new in state.moved.items():
                if self.path.startswith(old):
                    self.send_response(301)
                    self.send_header("Location", self.path.replace(old, new, 1))
                    self.end_headers()
                    return
            where = urlsplit(self.path)
            headers = self.headers
            ended = subprocess.run(
                ["git", "http-backend"],
                env=GIT
                | {
                    "GIT_PROJECT_ROOT": str(folder),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "REQUEST_METHOD": self.command,
                    "PATH_INFO": where.path,
                    "QUERY_STRING": where.query,
                    "CONTENT_TYPE": headers.get("Content-Type", ""),
                    "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
                    "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
                },
                input=self.rfile.read(int(headers.get("Content-Length", "0"))),
                capture_output=True,
                check=False,
            )
            head, _, body = ended.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            state.sent.append((where.path, len(body)))

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state = GitServer(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield state
        server.shutdown()


def remove_object(project: GitProject, path: str) -> None:
    """Take a file's content out of the repository, which still names it."""
    command = ["git", "-C", str(project.folder), "rev-parse", f"HEAD:{path}"]
    oid = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    [git_folder] = [
        folder
        for folder in (project.folder / ".git", project.folder)
        if (folder / "objects").is_dir()
    ]
    (git_folder / "objects" / oid[:2] / oid[2:].strip()).unlink()
