"""The state behind a GitHub on loopback, which a test changes as GitHub's users would."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .kept import Repository, Request
from .shapes import API, owner_shape, repository_shape

GIT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


@dataclass
class GitHub:
    """The server's state; a test changes it as its users would."""

    root: Path
    """Folder of `OWNER/NAME.git`."""
    port: int = 0
    owners: dict[str, str] = field(default_factory=dict)
    """Login to `Organization` or `User`."""
    repositories: dict[int, Repository] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    """Old full names to ids."""
    users: dict[str, str] = field(default_factory=dict)
    """Token to login; a token that is not here is refused, and no token is the anonymous user."""
    app: str = ""
    app_key: str = ""
    """Public key of the app, in PEM."""
    allowance: int = 5000
    spent: dict[str, int] = field(default_factory=dict)
    resets_at: float = field(default_factory=lambda: time.time() + 3600)
    secondary: int = 0
    """How many of the next requests meet the secondary limit."""
    secondary_status: int = 403
    retry_after: int | None = 1
    broken: int = 0
    """How many of the next requests fail with status 502."""
    skew: float = 0.0
    """Seconds by which the server's clock is ahead."""
    no_filter: bool = False
    """Whether git may not leave out blobs."""
    requests: list[Request] = field(default_factory=list)
    sent: int = 0
    """Bytes that git sent."""

    @property
    def web(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        return self.web + API

    @property
    def charged(self) -> int:
        return sum(request.charged for request in self.requests)

    def add(
        self,
        owner: str,
        name: str,
        files: Mapping[str, str | bytes] | None = None,
        /,
        **facts: Any,
    ) -> Repository:
        """Make a repository, with a commit where there are files; its owner is an organisation
        unless told before.
        """
        self.owners.setdefault(owner, "Organization")
        made = Repository(
            len(self.repositories) + 1000, owner, name, "2026-01-01T00:00:00Z", facts
        )
        self.repositories[made.id] = made
        if files is not None:
            self.push(made, files)
        return made

    def push(
        self,
        repository: Repository,
        files: Mapping[str, str | bytes],
        submodules: Mapping[str, str] | None = None,
    ) -> str:
        """Commit `files` over what is there, and return the commit; a second later each time."""
        folder = self.root / repository.owner / f"{repository.name}.git"
        if not folder.exists():
            folder.mkdir(parents=True)
            _git(folder, "init", "--quiet", "--bare", "--initial-branch=main", ".")
            _git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
        stream = bytearray()
        stream += b"commit refs/heads/main\ncommitter a <a@example.org> 1700000000 +0000\ndata 1\n.\n"
        if (folder / "refs/heads/main").exists():
            stream += b"from refs/heads/main^0\n"
        for path, content in files.items():
            body = content.encode() if isinstance(content, str) else content
            stream += (
                f"M 100644 inline {path}\ndata {len(body)}\n".encode() + body + b"\n"
            )
        for path, commit in (submodules or {}).items():
            stream += f"M 160000 {commit} {path}\n".encode()
        _git(folder, "fast-import", "--quiet", stdin=bytes(stream))
        parsed = (
            time.mktime(time.strptime(repository.pushed_at, "%Y-%m-%dT%H:%M:%SZ")) + 1
        )
        repository.pushed_at = time.strftime(
            "%Y-%m-%dT%H:%M:%SZ", time.localtime(parsed)
        )
        _git(
            folder,
            "config",
            "uploadpack.allowFilter",
            "false" if self.no_filter else "true",
        )
        return _git(folder, "rev-parse", "refs/heads/main").decode().strip()

    def rename(self, repository: Repository, name: str) -> None:
        """Give a repository another name; its old one leads on."""
        self.moved[f"{repository.owner}/{repository.name}"] = repository.id
        folder = self.root / repository.owner
        (folder / f"{repository.name}.git").rename(folder / f"{name}.git")
        repository.name = name

    def remove(self, repository: Repository) -> None:
        """Delete a repository."""
        del self.repositories[repository.id]
        folder = self.root / repository.owner / f"{repository.name}.git"
        folder.rename(self.root / f"removed-{repository.id}")

    def shown(self, repository: Repository) -> dict[str, Any]:
        """Return what the REST API shows of a repository."""
        return repository_shape(self.web, repository, self.owners[repository.owner])

    def user(self, login: str) -> dict[str, Any]:
        """Return what the REST API shows of an owner."""
        return owner_shape(self.web, login, self.owners[login])


def _git(folder: Path, *argv: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", *argv],
        cwd=folder,
        env=GIT,
        input=stdin,
        capture_output=True,
        check=True,
    ).stdout
