"""A GitHub on loopback: REST answers of real shapes with a state behind them, and real git over HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

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
API = "/api/v3"
_OWN = [
    "archive_url",
    "assignees_url",
    "blobs_url",
    "branches_url",
    "collaborators_url",
    "comments_url",
    "commits_url",
    "compare_url",
    "contents_url",
    "contributors_url",
    "deployments_url",
    "downloads_url",
    "events_url",
    "forks_url",
    "git_commits_url",
    "git_refs_url",
    "git_tags_url",
    "issue_comment_url",
    "issue_events_url",
    "issues_url",
    "keys_url",
    "labels_url",
    "languages_url",
    "merges_url",
    "milestones_url",
    "notifications_url",
    "pulls_url",
    "releases_url",
    "stargazers_url",
    "statuses_url",
    "subscribers_url",
    "subscription_url",
    "tags_url",
    "teams_url",
    "trees_url",
    "hooks_url",
]
_USERS = [
    "followers_url",
    "following_url",
    "gists_url",
    "starred_url",
    "subscriptions_url",
    "organizations_url",
    "repos_url",
    "events_url",
    "received_events_url",
]
_NONE: Mapping[str, Any] = {
    "message": "Not Found",
    "documentation_url": "https://docs.github.com/rest",
    "status": "404",
}


@dataclass
class Repository:
    """One repository of the stand-in."""

    id: int
    owner: str
    name: str
    pushed_at: str
    facts: dict[str, Any] = field(default_factory=dict)
    """Fields that differ from the usual ones."""


@dataclass
class Request:
    """One request as the server saw it."""

    path: str
    status: int
    user: str
    charged: bool
    """Whether it counts against a limit: what did not change costs nothing."""


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
        return sum(each.charged for each in self.requests)

    def add(self, owner: str, name: str, files: Mapping[str, str | bytes] | None = None, /, **facts: Any) -> Repository:
        """Make a repository, with a commit where there are files; its owner is an organisation unless told before."""
        self.owners.setdefault(owner, "Organization")
        made = Repository(len(self.repositories) + 1000, owner, name, "2026-01-01T00:00:00Z", facts)
        self.repositories[made.id] = made
        if files is not None:
            self.push(made, files)
        return made

    def push(
        self, repository: Repository, files: Mapping[str, str | bytes], submodules: Mapping[str, str] | None = None
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
            stream += f"M 100644 inline {path}\ndata {len(body)}\n".encode() + body + b"\n"
        for path, commit in (submodules or {}).items():
            stream += f"M 160000 {commit} {path}\n".encode()
        _git(folder, "fast-import", "--quiet", stdin=bytes(stream))
        parsed = time.mktime(time.strptime(repository.pushed_at, "%Y-%m-%dT%H:%M:%SZ")) + 1
        repository.pushed_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime(parsed))
        _git(folder, "config", "uploadpack.allowFilter", "false" if self.no_filter else "true")
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
        full = f"{repository.owner}/{repository.name}"
        url = f"{self.api}/repos/{full}"
        return (
            {name: f"{url}/{name.removesuffix('_url')}" for name in _OWN}
            | {
                "id": repository.id,
                "node_id": f"R_{repository.id}",
                "name": repository.name,
                "full_name": full,
                "owner": self.user(repository.owner),
                "private": False,
                "visibility": "public",
                "html_url": f"{self.web}/{full}",
                "description": None,
                "fork": False,
                "url": url,
                "git_url": f"git://127.0.0.1/{full}.git",
                "ssh_url": f"git@127.0.0.1:{full}.git",
                "clone_url": f"{self.web}/{full}.git",
                "svn_url": f"{self.web}/{full}",
                "mirror_url": None,
                "homepage": None,
                "language": "Cuda",
                "forks_count": 0,
                "forks": 0,
                "stargazers_count": 7,
                "watchers_count": 7,
                "watchers": 7,
                "subscribers_count": 1,
                "network_count": 0,
                "size": 12,
                "default_branch": "main",
                "open_issues_count": 0,
                "open_issues": 0,
                "is_template": False,
                "topics": [],
                "has_issues": True,
                "has_projects": True,
                "has_wiki": True,
                "has_pages": False,
                "has_downloads": True,
                "has_discussions": False,
                "archived": False,
                "disabled": False,
                "license": {
                    "key": "mit",
                    "name": "MIT License",
                    "spdx_id": "MIT",
                    "url": "https://api.github.com/licenses/mit",
                    "node_id": "L_1",
                },
                "pushed_at": repository.pushed_at,
                "created_at": "2020-01-01T00:00:00Z",
                "updated_at": repository.pushed_at,
            }
            | repository.facts
        )

    def user(self, login: str) -> dict[str, Any]:
        """Return what the REST API shows of an owner."""
        url = f"{self.api}/users/{login}"
        return {name: f"{url}/{name.removesuffix('_url')}" for name in _USERS} | {
            "login": login,
            "id": 1,
            "node_id": "U_1",
            "avatar_url": f"{self.web}/a.png",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.web}/{login}",
            "type": self.owners[login],
            "site_admin": False,
        }


@contextmanager
def serving(root: Path) -> Iterator[GitHub]:
    """Serve an empty GitHub whose git repositories lie below `root`."""
    state = GitHub(root)

    class Handler(_Handler):
        github = state

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.port = server.server_port
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield state
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    github: GitHub

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        if where.path.startswith(API):
            self._rest(where.path.removeprefix(API), parse_qs(where.query))
        else:
            self._git(where.path, where.query)

    def do_POST(self) -> None:
        where = urlsplit(self.path)
        if where.path.startswith(f"{API}/app/installations/"):
            self._minted(where.path.split("/")[-2])
            return
        self._git(where.path, where.query)

    def _rest(self, path: str, query: dict[str, list[str]]) -> None:
        state = self.github
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        user = state.users.get(token, "") if token else "anonymous"
        status, body, extra = self._answer(path, query, user)
        encoded = json.dumps(body).encode()
        etag = f'W/"{hashlib.sha256(user.encode() + encoded).hexdigest()}"'
        if status == 200 and self.headers.get("If-None-Match") == etag:
            status, encoded = 304, b""
        charged = status in (200, 301, 404)
        state.spent[user] = state.spent.get(user, 0) + charged
        state.requests.append(Request(self.path, status, user, charged))
        left = max(0, state.allowance - state.spent[user])
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "ETag": etag,
            "X-RateLimit-Limit": str(state.allowance),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(int(state.resets_at + state.skew)),
            "Content-Length": str(len(encoded)),
        } | extra
        self._reply(status, headers, encoded)

    def _minted(self, installation: str) -> None:
        """Give a token where the request is signed by the app's key, as it is for the next ten minutes."""
        import jwt

        state = self.github
        word = self.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(word, state.app_key, algorithms=["RS256"], options={"require": ["iat", "exp", "iss"]})
            good = claims["iss"] == state.app and claims["exp"] - claims["iat"] <= 600
        except jwt.PyJWTError:
            good = False
        token = f"ghs_{installation}_{len(state.users)}"
        if good:
            state.users[token] = f"installation-{installation}"
        body = {"token": token, "expires_at": "2030-01-01T00:00:00Z"} if good else {"message": "Bad credentials"}
        encoded = json.dumps(body).encode()
        self._reply(201 if good else 401, {"Content-Length": str(len(encoded))}, encoded)

    def _answer(self, path: str, query: dict[str, list[str]], user: str) -> tuple[int, Any, dict[str, str]]:
        state = self.github
        if not user:
            return 401, {"message": "Bad credentials"}, {}
        if state.broken:
            state.broken -= 1
            return 502, {"message": "Server Error"}, {}
        if state.secondary:
            state.secondary -= 1
            after = {} if state.retry_after is None else {"Retry-After": str(state.retry_after)}
            return state.secondary_status, {"message": "You have exceeded a secondary rate limit."}, after
        if time.time() >= state.resets_at:
            state.spent.clear()
            state.resets_at = time.time() + 3600
        if state.spent.get(user, 0) >= state.allowance:
            return 403, {"message": f"API rate limit exceeded for {user}."}, {}
        return self._found(path.strip("/").split("/"), query, user)

    def _found(self, parts: list[str], query: dict[str, list[str]], user: str) -> tuple[int, Any, dict[str, str]]:
        state = self.github
        match parts:
            case ["user"]:
                return 200, {"login": user, "id": 1, "type": "User"}, {}
            case ["users", login] if login.lower() in {each.lower() for each in state.owners}:
                return 200, state.user(next(each for each in state.owners if each.lower() == login.lower())), {}
            case ["orgs" | "users" as place, login, "repos"] if (
                state.owners.get(login, "").lower().startswith(place[:3])
            ):
                return self._page(login, query)
            case ["repos", owner, name]:
                return self._named(f"{owner}/{name}")
            case ["repositories", number] if int(number) in state.repositories:
                return 200, state.shown(state.repositories[int(number)]), {}
        return 404, _NONE, {}

    def _named(self, full: str) -> tuple[int, Any, dict[str, str]]:
        state = self.github
        for each in state.repositories.values():
            if f"{each.owner}/{each.name}".lower() == full.lower():
                return 200, state.shown(each), {}
        if state.moved.get(full) in state.repositories:
            return 301, {"message": "Moved Permanently"}, {"Location": f"{state.api}/repositories/{state.moved[full]}"}
        return 404, _NONE, {}

    def _page(self, login: str, query: dict[str, list[str]]) -> tuple[int, Any, dict[str, str]]:
        size, number = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        own = sorted(
            (each for each in self.github.repositories.values() if each.owner == login), key=lambda each: each.name
        )
        shown = [self.github.shown(each) for each in own[(number - 1) * size : number * size]]
        last = max(1, -(-len(own) // size))
        place = f"{self.github.web}{urlsplit(self.path).path}?per_page={size}&sort=full_name"
        links = [f'<{place}&page={number + 1}>; rel="next"', f'<{place}&page={last}>; rel="last"']
        return 200, shown, {"Link": ", ".join(links)} if number < last else {}

    def _git(self, path: str, query: str) -> None:
        for old, number in self.github.moved.items():
            if path.startswith(f"/{old}.git") and number in self.github.repositories:
                now = self.github.repositories[number]
                rest = path.removeprefix(f"/{old}.git")
                self._reply(301, {"Location": f"/{now.owner}/{now.name}.git{rest}?{query}", "Content-Length": "0"}, b"")
                return
        ended = subprocess.run(
            ["git", "http-backend"],
            env=GIT
            | {
                "GIT_PROJECT_ROOT": str(self.github.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            },
            input=self.rfile.read(int(self.headers.get("Content-Length", "0"))),
            capture_output=True,
            check=False,
        )
        head, _, body = ended.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        status = int(fields.pop("Status", "200").split()[0])
        # as GitHub does: what is not there may be private
        if status == 404:
            status, fields["WWW-Authenticate"] = 401, 'Basic realm="GitHub"'
        self.github.sent += len(body)
        self._reply(status, fields | {"Content-Length": str(len(body))}, body)

    def _reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Date", formatdate(time.time() + self.github.skew, usegmt=True))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _git(folder: Path, *argv: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", *argv], cwd=folder, env=GIT, input=stdin, capture_output=True, check=True).stdout
