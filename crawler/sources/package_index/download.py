"""Download a distribution from the package index."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx

from crawler.errors import NetworkDown, NotFound, TooLarge
from crawler.sources.interface import Limits
from crawler.sources.package_index.index import make_verification, raise_for_refusal
from crawler.sources.package_index.pip_settings import read_pip_settings

_BLOCK_BYTES: Final = 1 << 20
_GONE: Final = (httpx.codes.NOT_FOUND, httpx.codes.GONE)


def download(link: Any, target: Path, limits: Limits) -> str:
    """Stream a distribution to `target`, and return its sha256.

    Raises `NotFound`, `NetworkDown`, `RateLimited`, `TooLarge`.
    """
    digest = hashlib.sha256()
    size = 0
    started_at = time.monotonic()

    with target.open("wb") as file:
        for block in _iter_blocks(link):
            size += len(block)
            if size > limits.download_bytes:
                raise TooLarge(
                    f"{link.filename} is over {limits.download_bytes} bytes: "
                    "raise the limit to take it"
                )
            if time.monotonic() - started_at > limits.seconds:
                raise NetworkDown(
                    f"{link.filename} did not come in {limits.seconds:.0f} s: "
                    "try again later"
                )

            digest.update(block)
            file.write(block)

    return digest.hexdigest()


def _iter_blocks(link: Any) -> Iterator[bytes]:
    if link.is_file:
        yield from _iter_file_blocks(Path(link.file_path))
    else:
        yield from _iter_remote_blocks(link)


def _iter_file_blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


def _iter_remote_blocks(link: Any) -> Iterator[bytes]:
    url = link.url_without_fragment
    verification = _make_host_verification(url)
    try:
        with (
            httpx.Client(verify=verification) as client,
            client.stream(
                "GET",
                url,
                follow_redirects=True,
                timeout=60,
            ) as answer,
        ):
            if answer.status_code in _GONE:
                raise NotFound(
                    f"{link.filename} is no longer in the index: list it again"
                )

            raise_for_refusal(answer)
            answer.raise_for_status()
            yield from answer.iter_bytes(_BLOCK_BYTES)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NetworkDown(
            f"{link.filename} could not be fetched ({type(error).__name__}): "
            "try again later"
        ) from error


def _make_host_verification(url: str) -> Any:
    settings = read_pip_settings()
    if httpx.URL(url).host in settings.trusted_hosts:
        return False
    return make_verification(settings.certificates)
