"""PyPI source: source distributions of `pypi:NAME` or `pypi:NAME==VERSION`, never executed."""

from __future__ import annotations

import hashlib
import os
import shlex
import ssl
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import httpx
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from crawler import process
from crawler.errors import (
    BadArchive,
    CrawlError,
    Misconfigured,
    NetworkDown,
    NotFound,
    RateLimited,
    TooLarge,
)
from crawler.model import Checkout, Repo
from crawler.sources.archive.unpack import unpack_archive
from crawler.sources.interface import Limits, Source, SourceOptions

_BLOCK: Final = 1 << 20
_PREFIX: Final = "pypi:"
_GONE: Final = (httpx.codes.NOT_FOUND, httpx.codes.GONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """What pip is configured with."""

    index_urls: tuple[str, ...]
    find_links: tuple[str, ...]
    trusted_hosts: tuple[str, ...]
    certificates: str


class PyPI:
    """The index that pip is configured for."""

    name = "pypi"
    example = "pypi:torch_scatter==2.1.2"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator begins with `pypi:`."""
        return locator.startswith(_PREFIX)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all that an owner has: never here."""
        return False

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the release, pinned by its archive's digest; raises `NotFound`, `NetworkDown`."""
        link, version = _find(_requirement(locator))
        digest = _known_digest(link)
        if not digest:
            with tempfile.TemporaryDirectory() as folder:
                digest = _download(link, Path(folder) / "archive", options.limits)
        name = _project(link.filename, version)
        commit = f"sha256:{digest}"
        yield Repo(
            source=self.name,
            owner="",
            name=name,
            url=_public(link),
            ref=version,
            commit=commit,
        )

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository as it is: the list has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Download and unpack the archive that was pinned; raises `BadArchive` where its digest
        differs.
        """
        link, _ = _find(Requirement(f"{repo.name}=={repo.ref}"))
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / Path(link.filename).name
            digest = _download(link, archive, options.limits)
            if repo.commit != f"sha256:{digest}":
                raise BadArchive(
                    f"{link.filename} is not what was listed: list {repo.name} again"
                )
            unpack_archive(archive, destination, options.limits)
        tops = list(destination.iterdir())
        root = tops[0] if len(tops) == 1 and tops[0].is_dir() else destination
        return Checkout(repo=repo, root=root)


def _requirement(locator: str) -> Requirement:
    try:
        requirement = Requirement(locator.removeprefix(_PREFIX))
    except InvalidRequirement as error:
        raise NotFound(
            f"`{locator}` names no package: write pypi:NAME or pypi:NAME==VERSION"
        ) from error
    if requirement.url:
        raise NotFound(
            f"`{locator}` names an address: fetch it, and crawl the file as ./FILE",
            code="bad-locator",
        )
    return requirement


def _find(requirement: Requirement) -> tuple[Any, str]:
    """Return (link, version) of the best source distribution."""
    from unearth import PackageFinder

    settings = _pip_settings()
    finder = PackageFinder(
        session=_client(),
        index_urls=settings.index_urls,
        find_links=settings.find_links,
        trusted_hosts=settings.trusted_hosts,
        ignore_compatibility=True,
        no_binary=[":all:"],
    )
    try:
        best = finder.find_best_match(requirement, allow_yanked=True).best
    except CrawlError:
        raise
    except Exception as error:  # unearth lets through whatever its HTTP library raises
        raise NetworkDown(
            f"the package index did not answer ({type(error).__name__}): try again later"
        ) from error
    # an index elsewhere must not name a file of this machine
    if (
        best is None
        or best.link.is_wheel
        or (best.link.is_file and _is_remote(best.link.comes_from))
    ):
        raise NotFound(
            f"no source distribution of {requirement} is in the index: check name and version"
        )
    return best.link, str(best.version)


def _is_remote(page: str | None) -> bool:
    return page is not None and not page.startswith("file:")


def _download(link: Any, target: Path, limits: Limits) -> str:
    """Stream the archive to `target` and return its sha256."""
    state, size, began = hashlib.sha256(), 0, time.monotonic()
    with target.open("wb") as opened:
        for block in _blocks(link):
            size += len(block)
            if size > limits.download_bytes:
                raise TooLarge(
                    f"{link.filename} is over {limits.download_bytes} bytes: raise the limit to take it"
                )
            if time.monotonic() - began > limits.seconds:
                raise NetworkDown(
                    f"{link.filename} did not come in {limits.seconds:.0f} s: try again later"
                )
            state.update(block)
            opened.write(block)
    return state.hexdigest()


def _blocks(link: Any) -> Iterator[bytes]:
    if link.is_file:
        with Path(link.file_path).open("rb") as opened:
            while block := opened.read(_BLOCK):
                yield block
        return
    settings = _pip_settings()
    verify: str | bool = settings.certificates or True
    host = httpx.URL(link.url_without_fragment).host
    try:
        with (
            httpx.Client(
                verify=_context(verify) if host not in settings.trusted_hosts else False
            ) as client,
            client.stream(
                "GET", link.url_without_fragment, follow_redirects=True, timeout=60
            ) as answer,
        ):
            if answer.status_code in _GONE:
                raise NotFound(
                    f"{link.filename} is no longer in the index: list it again"
                )
            _refuse(answer)
            answer.raise_for_status()
            yield from answer.iter_bytes(_BLOCK)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NetworkDown(
            f"{link.filename} could not be fetched ({type(error).__name__}): try again later"
        ) from error


def _context(verify: str | bool) -> Any:
    return (
        ssl.create_default_context(cafile=verify) if isinstance(verify, str) else True
    )


@cache
def _client() -> Any:
    from unearth.fetchers.sync import PyPIClient

    settings = _pip_settings()
    verify = _context(settings.certificates or True)
    # unearth takes a page that it was refused for an empty one
    return PyPIClient(
        trusted_hosts=settings.trusted_hosts,
        verify=verify,
        event_hooks={"response": [_refuse]},
    )


def _refuse(answer: Any) -> None:
    """Raise what a refusal means that says nothing of whether the file is there."""
    status = answer.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        wait = answer.headers.get("retry-after", "")
        raise RateLimited(
            "the package index asks us to wait: crawl again later",
            retry_after=float(wait) if wait.isdecimal() else 60.0,
        )
    if status == httpx.codes.UNAUTHORIZED:
        message = (
            "the package index wants a name and a password: configure them for pip"
        )
        raise NotFound(message, code="auth-required")
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise NetworkDown(
            f"the package index failed (status {status}): crawl again later"
        )


@cache
def _pip_settings() -> _Settings:
    """Ask pip how it is configured: files, and `PIP_*`; unearth reads neither."""
    asked = process.run(
        [sys.executable, "-m", "pip", "config", "list"], env=dict(os.environ)
    )
    found: dict[str, str] = {}
    lines = (
        asked.output.decode("utf-8", "replace").splitlines()
        if asked.exit_code == 0
        else []
    )
    for line in sorted(lines, key=lambda line: line.startswith((":env:", "install."))):
        key, _, value = line.partition("=")
        found[key.rsplit(".", 1)[-1].strip("'")] = " ".join(shlex.split(value))
    for key in ("index-url", "extra-index-url", "find-links", "trusted-host", "cert"):
        found[key] = os.environ.get(
            f"PIP_{key.upper().replace('-', '_')}", found.get(key, "")
        )
    indexes = (
        found["index-url"] or _default_index(),
        *found["extra-index-url"].split(),
    )
    return _Settings(
        index_urls=() if found.get("no-index", "") in ("1", "true") else tuple(indexes),
        find_links=tuple(found["find-links"].split()),
        trusted_hosts=tuple(found["trusted-host"].split()),
        certificates=found["cert"],
    )


def _default_index() -> str:
    try:
        from pip._internal.models.index import PyPI as PipIndex
    except ImportError as error:
        raise Misconfigured(
            "no package index is configured: set PIP_INDEX_URL, or install pip"
        ) from error
    return str(PipIndex.simple_url)


def _known_digest(link: Any) -> str:
    hashes = link.hashes or {}
    if link.hash_name == "sha256":
        return str(link.hash)
    return str(hashes.get("sha256", ""))


def _project(filename: str, version: str) -> str:
    """Return the project's name with underscores, as its archive spells it where that is
    possible.
    """
    stem = filename.split(f"-{version}")[0]
    return canonicalize_name(stem).replace("-", "_")


def _public(link: Any) -> str:
    return str(
        httpx.URL(link.url_without_fragment).copy_with(username=None, password=None)
    )


PLUGIN: Final[Source] = PyPI()
