"""Ask an OpenAI-compatible endpoint: in bounded time and memory, whatever it does.

The key leaves this module for the server alone: what comes back is cleared of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import httpx
import msgspec

from crawler.codec import encode
from crawler.completion.chat import ChatAnswer, ChatRequest
from crawler.errors import CrawlError, Misconfigured

_MAX_BODY_BYTES: Final = 8 << 20
_MAX_WAIT_SECONDS: Final = 120.0
"""A server that asks for more is left alone for this run."""
_FIRST_WAIT_SECONDS: Final = 1.0
_MAX_WORDS: Final = 300
_MASK: Final = "********"
_BYTES_PER_TOKEN: Final = 4
"""Of a text whose tokens a server does not count."""
_BAD_KEY: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_BAD_ADDRESS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)


RUN_ENDING_CODES: Final = frozenset(("endpoint-key", "endpoint-unknown"))
"""Codes of what is the same for every question."""


class EndpointError(CrawlError):
    """There is no answer to a question."""

    code = "endpoint-failed"


class _Passing(EndpointError):
    """One that may go away by itself; `wait` is what the server asks for, in seconds."""

    def __init__(self, message: str, *, code: str = "", wait: float = 0.0) -> None:
        super().__init__(message, code=code)
        self.wait = wait


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """Where a model is asked, and how patiently."""

    address: str
    """What `/chat/completions` follows: `https://HOST/v1`."""
    key: str = ""
    """Sent as a bearer token; empty where the server wants none."""
    seconds: float = 120.0
    """Of one try, from its first byte to its last."""
    tries: int = 4
    """Of one question."""


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


class Endpoint:
    """A server that answers chat completions."""

    def __init__(
        self, options: EndpointOptions, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        parts = urlsplit(options.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Misconfigured(
                "`completion_endpoint` is no address of a server: give one as "
                "https://HOST/v1",
                code="bad-endpoint",
            )
        # an error of a library would quote what no header can hold
        if not options.key.isascii() or not options.key.isprintable():
            raise Misconfigured(
                "`completion_key` has characters that no key has: set it anew",
                code="bad-endpoint",
            )
        self._options = options
        self._address = f"{options.address.rstrip('/')}/chat/completions"
        self._host = parts.hostname
        self._sleep = sleep

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a question, asked again while it fails for a passing reason.

        Raises `EndpointError`, whose message never holds the key.
        """
        body = _encode_request(request)
        for remaining_tries in reversed(range(self._options.tries)):
            try:
                return self._try_once(body)
            except _Passing as problem:
                if not remaining_tries or problem.wait > _MAX_WAIT_SECONDS:
                    raise
                tried = self._options.tries - remaining_tries - 1
                self._sleep(problem.wait or _FIRST_WAIT_SECONDS * 2**tried)
        raise AssertionError("a question is asked at least once")

    def _try_once(self, body: bytes) -> ChatAnswer:
        try:
            response = asyncio.run(self._send(body))
        except TimeoutError as problem:
            raise _Passing(
                f"{self._host} did not answer in {self._options.seconds:.0f} s: raise "
                "`completion_seconds`, or look at the server",
                code="endpoint-silent",
            ) from problem
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as problem:
            raise _Passing(
                f"{self._host} could not be asked ({type(problem).__name__}): "
                "try again later",
                code="endpoint-unreachable",
            ) from problem

        self._check_status(response)
        return self._read_answer(response.content, body)

    async def _send(self, body: bytes) -> httpx.Response:
        """Return the whole response; no part of it may take longer than all may."""
        headers = {"content-type": "application/json", "user-agent": "kernelset"}
        if self._options.key:
            headers["authorization"] = f"Bearer {self._options.key}"

        async with (
            asyncio.timeout(self._options.seconds),
            # a redirect would carry the key and the source elsewhere
            httpx.AsyncClient(
                timeout=self._options.seconds, follow_redirects=False
            ) as client,
            client.stream(
                "POST", self._address, content=body, headers=headers
            ) as response,
        ):
            content = bytearray()
            async for block in response.aiter_bytes():
                content += block
                if len(content) > _MAX_BODY_BYTES:
                    raise EndpointError(
                        f"{self._host} answers with over {_MAX_BODY_BYTES} bytes: "
                        "look at the server",
                        code="endpoint-too-large",
                    )
            wait = response.headers.get("retry-after", "")
            return httpx.Response(
                response.status_code,
                headers={"retry-after": wait},
                content=bytes(content),
            )

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.OK:
            return

        reply = f"{self._host} answers {status}{self._quote(response.content)}"
        if status in _BAD_KEY:
            raise EndpointError(
                f"{reply}: set `completion_key` to a key that it takes",
                code="endpoint-key",
            )
        if status in _BAD_ADDRESS:
            raise EndpointError(
                f"{reply}: look at `completion_endpoint` and `completion_model`",
                code="endpoint-unknown",
            )
        wait = _parse_wait(response.headers["retry-after"])
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise _Passing(f"{reply}: try again later", code="endpoint-busy", wait=wait)
        is_passing = status == HTTPStatus.REQUEST_TIMEOUT
        if is_passing or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _Passing(f"{reply}: try again later", wait=wait)
        raise EndpointError(
            f"{reply}: look at the settings of the model", code="endpoint-refused"
        )

    def _read_answer(self, content: bytes, body: bytes) -> ChatAnswer:
        try:
            completion = msgspec.json.decode(content, type=_Completion)
            choice = completion.choices[0]
        except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as problem:
            raise self._refuse_content() from problem
        except RecursionError as problem:
            raise self._refuse_content() from problem

        text = self._clear(choice.message.content or "")
        # servers of one's own may count nothing
        usage = completion.usage or _Usage()
        return ChatAnswer(
            text=text,
            tokens_in=max(0, usage.prompt_tokens) or len(body) // _BYTES_PER_TOKEN,
            tokens_out=max(0, usage.completion_tokens)
            or len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN,
            model=self._clear(completion.model or ""),
            finish_reason=self._clear(choice.finish_reason or ""),
        )

    def _refuse_content(self) -> _Passing:
        return _Passing(
            f"{self._host} answers what is no chat completion: look whether "
            "`completion_endpoint` is the address of an OpenAI-compatible API",
            code="endpoint-rubbish",
        )

    def _quote(self, content: bytes) -> str:
        words = " ".join(content[: 4 * _MAX_WORDS].decode("utf-8", "replace").split())
        words = "".join(letter for letter in words if letter.isprintable())
        # cleared before it is cut: half a key is still one
        return f" ({self._clear(words)[:_MAX_WORDS]})" if words else ""

    def _clear(self, text: str) -> str:
        key = self._options.key
        return text.replace(key, _MASK) if key else text


def _encode_request(request: ChatRequest) -> bytes:
    body = {
        "model": request.model,
        "messages": [
            {"role": message.role, "content": message.content}
            for message in request.messages
        ],
        "max_tokens": request.parameters.max_tokens,
        "stream": False,
    }
    if request.parameters.temperature is not None:
        body["temperature"] = request.parameters.temperature
    return encode(body)


def _parse_wait(text: str) -> float:
    """Return the seconds of a `Retry-After`, which has a number or a date; 0 for neither."""
    try:
        wait = float(text)
    except ValueError:
        try:
            wait = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            return 0.0
    # also not a number
    return wait if 0.0 < wait < float("inf") else 0.0
