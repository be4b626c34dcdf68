"""GitHub API client: pagination, conditional requests and rate limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec

from crawler.codec import decode, encode
from crawler.errors import BadCredentials, NetworkDown, NotFound, Rejected, ToolFailed
from crawler.sources.github_api.rate_limits import BudgetPool
from crawler.sources.github_api.tokens import load_budgets
from crawler.sources.options import AnswerMemory, SourceOptions

Shape = TypeVar("Shape")
_MAX_ANSWER_BYTES: Final = 64 << 20
_MAX_REDIRECTS: Final = 3
_SECONDS: Final = 60.0
# GitHub's words in the body of an answer 403
_RATE_LIMIT_MESSAGE: Final = re.compile(r"rate limit|abuse detection", re.IGNORECASE)
_HEADERS: Final = {
    "accept": "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    "user-agent": "kernelset",
}
_REDIRECTS: Final = (301, 302, 307, 308)
_FRAMING_HEADERS: Final = ("content-encoding", "content-length", "transfer-encoding")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """An answer as it is remembered: no more than what is asked of it."""

    etag: str
    body: str
    following: str
    """Address of the next page; empty on the last one."""


class GitHubClient:
    """Client of one GitHub API that keeps within its rate limits."""

    def __init__(self, options: SourceOptions) -> None:
        self._base = options.github.rstrip("/")
        if urlsplit(self._base).scheme not in ("http", "https"):
            raise BadCredentials(
                f"{self._base} is no address of an API: "
                "set `github` to https://HOST/api/v3"
            )

        self._memory: AnswerMemory = options.memory
        self._client = httpx.Client(
            headers=_HEADERS,
            timeout=_SECONDS,
            follow_redirects=False,
        )

        budgets = load_budgets(options.github_tokens, self._base, self._identify_user)
        self._budgets = BudgetPool(budgets, options.memory, self._host)

    def __enter__(self) -> GitHubClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def _host(self) -> str:
        return urlsplit(self._base).hostname or ""

    def get(self, path: str, shape: type[Shape]) -> Shape:
        """Return what is at `path`, decoded as `shape`.

        Raises `NotFound`, `RateLimited`, `NetworkDown`, `BadCredentials`.
        """
        page = self._get_page(self._base + path, shape)
        return decode(page.body, shape)

    def iter_pages(self, path: str, shape: type[Shape]) -> Iterator[Shape]:
        """Yield each page from `path` on, following the `Link` headers."""
        address = self._base + path
        visited_addresses: set[str] = set()

        while address and address not in visited_addresses:
            visited_addresses.add(address)
            page = self._get_page(address, shape)
            yield decode(page.body, shape)
            address = page.following

    def _get_page(self, address: str, shape: Any) -> _Page:
        key = f"answer {address}"
        remembered_answer = self._memory.recall(key)
        remembered = decode(remembered_answer, _Page) if remembered_answer else None

        # A request with an ETag costs nothing where the answer has not changed.
        answer = self._request(address, remembered.etag if remembered else "")
        if remembered and answer.status_code == HTTPStatus.NOT_MODIFIED:
            return remembered

        page = _Page(
            etag=answer.headers.get("etag", ""),
            body=encode(_decode_answer(answer, shape)).decode(),
            following=self._find_next_page(answer),
        )

        if page.etag:
            self._memory.remember(key, encode(page))
        return page

    def _find_next_page(self, answer: httpx.Response) -> str:
        address = answer.links.get("next", {}).get("url", "")
        if not address:
            return ""
        return self._check_address(urljoin(str(answer.url), address))

    def _check_address(self, address: str) -> str:
        """Return an address that the server named, if it is its own: no token goes elsewhere."""
        if urlsplit(address)[:2] != urlsplit(self._base)[:2]:
            raise ToolFailed(
                f"{self._host} leads to another server: set `github` to its own address",
                code="led-away",
            )
        return address

    def _request(self, address: str, etag: str) -> httpx.Response:
        """Send a request until the server accepts a token.

        Each refusal pauses or drops a token, so this ends.
        """
        while True:
            budget = self._budgets.choose()
            # Asked for each request, since tokens of an app last for an hour.
            token = budget.token()
            answer = self._send(address, token, etag)
            self._budgets.charge(budget, answer.headers)

            if answer.status_code == HTTPStatus.UNAUTHORIZED and token:
                self._budgets.drop(budget)
            elif _is_rate_limited(answer):
                self._budgets.pause(budget, answer.headers)
            else:
                return _check_status(answer, self._host)

    def _send(self, address: str, token: str, etag: str = "") -> httpx.Response:
        headers: dict[str, str] = {}
        if token:
            headers["authorization"] = f"Bearer {token}"
        if etag:
            headers["if-none-match"] = etag

        for _ in range(_MAX_REDIRECTS):
            answer = self._read_answer(address, headers)
            if answer.status_code not in _REDIRECTS or "location" not in answer.headers:
                return answer

            # GitHub redirects from the old name of a repository to its number.
            location = urljoin(address, answer.headers["location"])
            address = self._check_address(location)
        raise ToolFailed(
            f"{self._host} leads round in a circle: try again later", code="led-away"
        )

    def _read_answer(self, address: str, headers: dict[str, str]) -> httpx.Response:
        try:
            with self._client.stream("GET", address, headers=headers) as answer:
                body = self._read_body(answer)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NetworkDown(
                f"{self._host} did not answer ({type(error).__name__}): try again later"
            ) from error

        # The body is decoded already, so headers about its framing are wrong now.
        kept_headers = [
            (name, value)
            for name, value in answer.headers.items()
            if name not in _FRAMING_HEADERS
        ]
        return httpx.Response(
            answer.status_code,
            headers=kept_headers,
            content=body,
            request=answer.request,
        )

    def _read_body(self, answer: httpx.Response) -> bytes:
        body = bytearray()
        for block in answer.iter_bytes():
            body += block
            if len(body) > _MAX_ANSWER_BYTES:
                raise ToolFailed(
                    f"{self._host} answers without end: try again later",
                    code="bad-answer",
                )

        return bytes(body)

    def _identify_user(self, token: str) -> str:
        """Return the user of a token, empty where the server does not say."""
        answer = self._send(f"{self._base}/user", token)
        if answer.status_code != HTTPStatus.OK:
            return ""

        user = _decode_answer(answer, dict[str, Any])

        return str(user.get("login", ""))


def _is_rate_limited(answer: httpx.Response) -> bool:
    if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return True
    if answer.status_code != HTTPStatus.FORBIDDEN:
        return False
    # GitHub also answers 403 where a limit is reached, and says so in one of these places.
    if answer.headers.get("x-ratelimit-remaining") == "0":
        return True
    if "retry-after" in answer.headers:
        return True
    return _RATE_LIMIT_MESSAGE.search(_read_message(answer)) is not None


def _check_status(answer: httpx.Response, host: str) -> httpx.Response:
    """Return an answer that is none of an error; raises the error that its status means."""
    status = answer.status_code
    path = answer.url.path
    if status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
        return answer
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        raise NotFound(
            f"{host} has nothing at {path}: check the names, "
            "or give a token that may see it"
        )
    if status == HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
        raise Rejected(
            f"{host} may not show {path} for legal reasons: leave it out",
            code="legal-reasons",
        )
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise Rejected(
            f"{host} refuses {path} ({_read_message(answer)}): "
            "give a token that may see it",
            code="refused",
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise NetworkDown(f"{host} failed (status {status}): try again later")

    raise ToolFailed(
        f"{host} answered {path} with status {status}: report it", code="bad-answer"
    )


def _read_message(answer: httpx.Response) -> str:
    """Return the message of an error, without what could confuse a terminal."""
    try:
        document = json.loads(answer.content)
    except ValueError:
        return ""

    message = document.get("message", "") if isinstance(document, dict) else ""
    printable = [letter for letter in str(message) if letter.isprintable()]

    return "".join(printable)[:200]


def _decode_answer(answer: httpx.Response, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(answer.content, type=shape)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ToolFailed(
            f"{answer.url.host} gave {answer.url.path} in another form ({error}): report it",
            code="bad-answer",
        ) from error
