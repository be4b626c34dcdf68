"""A GitHub on loopback: REST answers of real shapes with a state behind them, and real git over
HTTP.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .kept import Request
from .shapes import API
from .state import GIT, GitHub

_NONE: Mapping[str, Any] = {
    "message": "Not Found",
    "documentation_url": "https://docs.github.com/rest",
    "status": "404",
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
            self._mint_token(where.path.split("/")[-2])
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
        remaining = max(0, state.allowance - state.spent[user])
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "ETag": etag,
            "X-RateLimit-Limit": str(state.allowance),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Reset": str(int(state.resets_at + state.skew)),
            "Content-Length": str(len(encoded)),
        } | extra
        self._reply(status, headers, encoded)

    def _mint_token(self, installation: str) -> None:
        """Give a token where the request is signed by the app's key, as it is for the next ten
        minutes.
        """
        import jwt

        state = self.github
        word = self.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(
                word,
                state.app_key,
                algorithms=["RS256"],
                options={"require": ["iat", "exp", "iss"]},
            )
            good = claims["iss"] == state.app and claims["exp"] - claims["iat"] <= 600
        except jwt.PyJWTError:
            good = False
        token = f"ghs_{installation}_{len(state.users)}"
        if good:
            state.users[token] = f"installation-{installation}"
        body = (
            {"token": token, "expires_at": "2030-01-01T00:00:00Z"}
            if good
            else {"message": "Bad credentials"}
        )
        encoded = json.dumps(body).encode()
        self._reply(
            201 if good else 401, {"Content-Length": str(len(encoded))}, encoded
        )

    def _answer(
        self, path: str, query: dict[str, list[str]], user: str
    ) -> tuple[int, Any, dict[str, str]]:
        state = self.github
        if not user:
            return 401, {"message": "Bad credentials"}, {}
        if state.broken:
            state.broken -= 1
            return 502, {"message": "Server Error"}, {}
        if state.secondary:
            state.secondary -= 1
            after = (
                {}
                if state.retry_after is None
                else {"Retry-After": str(state.retry_after)}
            )
            return (
                state.secondary_status,
                {"message": "You have exceeded a secondary rate limit."},
                after,
            )
        if time.time() >= state.resets_at:
            state.spent.clear()
            state.resets_at = time.time() + 3600
        if state.spent.get(user, 0) >= state.allowance:
            return 403, {"message": f"API rate limit exceeded for {user}."}, {}
        return self._find(path.strip("/").split("/"), query, user)

    def _find(
        self, parts: list[str], query: dict[str, list[str]], user: str
    ) -> tuple[int, Any, dict[str, str]]:
        state = self.github
        match parts:
            case ["user"]:
                return 200, {"login": user, "id": 1, "type": "User"}, {}
            case ["users", login] if login.lower() in {
                owner.lower() for owner in state.owners
            }:
                return (
                    200,
                    state.user(
                        next(
                            owner
                            for owner in state.owners
                            if owner.lower() == login.lower()
                        )
                    ),
                    {},
                )
            case ["orgs" | "users" as place, login, "repos"] if (
                state.owners.get(login, "").lower().startswith(place[:3])
            ):
                return self._page(login, query)
            case ["repos", owner, name]:
                return self._find_repository(f"{owner}/{name}")
            case ["repositories", number] if int(number) in state.repositories:
                return 200, state.shown(state.repositories[int(number)]), {}
        return 404, _NONE, {}

    def _find_repository(self, full: str) -> tuple[int, Any, dict[str, str]]:
        state = self.github
        for repository in state.repositories.values():
            if f"{repository.owner}/{repository.name}".lower() == full.lower():
                return 200, state.shown(repository), {}
        if state.moved.get(full) in state.repositories:
            return (
                301,
                {"message": "Moved Permanently"},
                {"Location": f"{state.api}/repositories/{state.moved[full]}"},
            )
        return 404, _NONE, {}

    def _page(
        self, login: str, query: dict[str, list[str]]
    ) -> tuple[int, Any, dict[str, str]]:
        size, number = (
            int(query.get("per_page", ["30"])[0]),
            int(query.get("page", ["1"])[0]),
        )
        own = sorted(
            (
                repository
                for repository in self.github.repositories.values()
                if repository.owner == login
            ),
            key=lambda repository: repository.name,
        )
        page = [
            self.github.shown(repository)
            for repository in own[(number - 1) * size : number * size]
        ]
        last = max(1, -(-len(own) // size))
        place = f"{self.github.web}{urlsplit(self.path).path}?per_page={size}&sort=full_name"
        links = [
            f'<{place}&page={number + 1}>; rel="next"',
            f'<{place}&page={last}>; rel="last"',
        ]
        return 200, page, {"Link": ", ".join(links)} if number < last else {}

    def _git(self, path: str, query: str) -> None:
        for old, number in self.github.moved.items():
            if path.startswith(f"/{old}.git") and number in self.github.repositories:
                now = self.github.repositories[number]
                rest = path.removeprefix(f"/{old}.git")
                self._reply(
                    301,
                    {
                        "Location": f"/{now.owner}/{now.name}.git{rest}?{query}",
                        "Content-Length": "0",
                    },
                    b"",
                )
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
        self.send_header(
            "Date", formatdate(time.time() + self.github.skew, usegmt=True)
        )
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
