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
_LARGEST: Final = 64 << 20
_HOPS: Final = 3
_SECONDS: Final = 60.0
_LIMITED: Final = re.compile(r"rate limit|abuse detection", re.IGNORECASE)
_HEADERS: Final = {
    "accept": "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    "user-agent": "kernelset",
}
_MOVED: Final = (301, 302, 307, 308)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """An answer as it is remembered: no more than what is asked of it."""

    etag: str
    body: str
    following: str
    """Address of the next page; empty on the last one."""


class GitHubClient:
    """One GitHub API, asked within its limits."""

    def __init__(self, options: SourceOptions) -> None:
        self._base = options.github.rstrip("/")
        if urlsplit(self._base).scheme not in ("http", "https"):
            raise BadCredentials(
                f"{self._base} is no address of an API: set `github` to https://HOST/api/v3"
            )
        self._memory: AnswerMemory = options.memory
        self._client = httpx.Client(
            headers=_HEADERS, timeout=_SECONDS, follow_redirects=False
        )
        self._purse = BudgetPool(
            load_budgets(options.github_tokens, self._base, self._who),
            options.memory,
            self._host,
        )

    def __enter__(self) -> GitHubClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def _host(self) -> str:
        return urlsplit(self._base).hostname or ""

    def get(self, path: str, shape: type[Shape]) -> Shape:
        """Return what stands at `path`; raises `NotFound`, `RateLimited`, `NetworkDown`,
        `BadCredentials`.
        """
        page = self._page(self._base + path, shape)
        return decode(page.body, shape)

    def iter_pages(self, path: str, shape: type[Shape]) -> Iterator[Shape]:
        """Yield each page at `path`, as its `Link` headers lead on."""
        address, seen = self._base + path, set[str]()
        while address and address not in seen:
            seen.add(address)
            page = self._page(address, shape)
            yield decode(page.body, shape)
            address = page.following

    def _page(self, address: str, shape: Any) -> _Page:
        key = f"answer {address}"
        kept = self._memory.recall(key)
        known = decode(kept, _Page) if kept else None
        answer = self._asked(address, known.etag if known else "")
        if answer.status_code == HTTPStatus.NOT_MODIFIED and known:
            return known
        page = _Page(
            etag=answer.headers.get("etag", ""),
            body=encode(_shaped(answer, shape)).decode(),
            following=self._following(answer),
        )
        if page.etag:
            self._memory.remember(key, encode(page))
        return page

    def _following(self, answer: httpx.Response) -> str:
        address = answer.links.get("next", {}).get("url", "")
        return self._own(urljoin(str(answer.url), address)) if address else ""

    def _own(self, address: str) -> str:
        """Return an address that an answer named, if it is of the same server: no token goes
        elsewhere.
        """
        if urlsplit(address)[:2] != urlsplit(self._base)[:2]:
            raise ToolFailed(
                f"{self._host} leads to another server: set `github` to its own address",
                code="led-away",
            )
        return address

    def _asked(self, address: str, etag: str) -> httpx.Response:
        """Ask until an allowance is accepted; each refusal rests or drops one, so this ends."""
        while True:
            budget = self._purse.choose()
            token = budget.token()
            answer = self._sent(address, token, etag)
            self._purse.charge(budget, answer.headers)
            if answer.status_code == HTTPStatus.UNAUTHORIZED and token:
                self._purse.drop(budget)
            elif _is_limited(answer):
                self._purse.pause(budget, answer.headers)
            else:
                return _accepted(answer, self._host)

    def _sent(self, address: str, token: str, etag: str = "") -> httpx.Response:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers |= {"if-none-match": etag} if etag else {}
        for _ in range(_HOPS):
            answer = self._got(address, headers)
            if answer.status_code not in _MOVED or "location" not in answer.headers:
                return answer
            address = self._own(urljoin(address, answer.headers["location"]))
        raise ToolFailed(
            f"{self._host} leads round in a circle: try again later", code="led-away"
        )

    def _got(self, address: str, headers: dict[str, str]) -> httpx.Response:
        try:
            with self._client.stream("GET", address, headers=headers) as answer:
                body = bytearray()
                for block in answer.iter_bytes():
                    body += block
                    if len(body) > _LARGEST:
                        raise ToolFailed(
                            f"{self._host} answers without end: try again later",
                            code="bad-answer",
                        )
                said = [
                    (name, value)
                    for name, value in answer.headers.items()
                    if name not in _FRAMING
                ]
                return httpx.Response(
                    answer.status_code,
                    headers=said,
                    content=bytes(body),
                    request=answer.request,
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NetworkDown(
                f"{self._host} did not answer ({type(error).__name__}): try again later"
            ) from error

    def _who(self, token: str) -> str:
        """Return whose a token is, empty where the server does not say."""
        answer = self._sent(f"{self._base}/user", token)
        if answer.status_code != HTTPStatus.OK:
            return ""
        return str(_shaped(answer, dict[str, Any]).get("login", ""))


_FRAMING: Final = ("content-encoding", "content-length", "transfer-encoding")


def _is_limited(answer: httpx.Response) -> bool:
    if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return True
    if answer.status_code != HTTPStatus.FORBIDDEN:
        return False
    spent = answer.headers.get("x-ratelimit-remaining") == "0"
    return (
        spent or "retry-after" in answer.headers or bool(_LIMITED.search(_said(answer)))
    )


def _accepted(answer: httpx.Response, host: str) -> httpx.Response:
    status = answer.status_code
    if status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
        return answer
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        raise NotFound(
            f"{host} has nothing at {answer.url.path}: check the names, or give a token that may see it"
        )
    if status == HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
        raise Rejected(
            f"{host} may not show {answer.url.path} for legal reasons: leave it out",
            code="legal-reasons",
        )
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise Rejected(
            f"{host} refuses {answer.url.path} ({_said(answer)}): give a token that may see it",
            code="refused",
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise NetworkDown(f"{host} failed (status {status}): try again later")
    raise ToolFailed(
        f"{host} answered {answer.url.path} with status {status}: report it",
        code="bad-answer",
    )


def _said(answer: httpx.Response) -> str:
    try:
        told = json.loads(answer.content)
    except ValueError:
        return ""
    message = told.get("message", "") if isinstance(told, dict) else ""
    return "".join(letter for letter in str(message) if letter.isprintable())[:200]


def _shaped(answer: httpx.Response, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(answer.content, type=shape)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ToolFailed(
            f"{answer.url.host} gave {answer.url.path} in another form ({error}): report it",
            code="bad-answer",
        ) from error
