"""Find a source distribution in the package index."""

from __future__ import annotations

import ssl
from functools import cache
from typing import Any

import httpx
from packaging.requirements import Requirement

from crawler.errors import CrawlError, NetworkDown, NotFound, RateLimited
from crawler.sources.package_index.pip_settings import read_pip_settings

# unearth has no types: a link, its finder and its client are `Any` here.


def find_distribution(requirement: Requirement) -> tuple[Any, str]:
    """Return the link and the version of the best source distribution.

    Raises `NotFound`, `NetworkDown`, `RateLimited`.
    """
    from unearth import PackageFinder

    settings = read_pip_settings()
    finder = PackageFinder(
        session=get_index_client(),
        index_urls=settings.index_urls,
        find_links=settings.find_links,
        trusted_hosts=settings.trusted_hosts,
        ignore_compatibility=True,
        no_binary=[":all:"],
    )

    try:
        # A yanked release is still what a lock file pins.
        package = finder.find_best_match(requirement, allow_yanked=True).best
    except CrawlError:
        raise
    except Exception as error:  # unearth lets through whatever its HTTP library raises
        raise NetworkDown(
            f"the package index did not answer ({type(error).__name__}): try again later"
        ) from error

    if package is None or package.link.is_wheel or _is_foreign_file(package.link):
        raise NotFound(
            f"no source distribution of {requirement} is in the index: "
            "check name and version"
        )
    return package.link, str(package.version)


def _is_foreign_file(link: Any) -> bool:
    """Tell whether an index elsewhere names a file of this machine."""
    page = link.comes_from
    is_remote_page = page is not None and not page.startswith("file:")

    return bool(link.is_file) and is_remote_page


@cache
def get_index_client() -> Any:
    """Return the HTTP client for the pages of the index."""
    from unearth.fetchers.sync import PyPIClient

    settings = read_pip_settings()

    # unearth takes a page that it was refused for an empty one.
    return PyPIClient(
        trusted_hosts=settings.trusted_hosts,
        verify=make_verification(settings.certificates),
        event_hooks={"response": [raise_for_refusal]},
    )


def make_verification(certificates: str) -> ssl.SSLContext | bool:
    """Return how certificates are verified: by a file of authorities, or by the system's."""
    if not certificates:
        return True
    return ssl.create_default_context(cafile=certificates)


def raise_for_refusal(answer: httpx.Response) -> None:
    """Raise the error that a refusal means which does not say whether the file is there."""
    status = answer.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        retry_after = answer.headers.get("retry-after", "")
        raise RateLimited(
            "the package index asks us to wait: crawl again later",
            retry_after=float(retry_after) if retry_after.isdecimal() else 60.0,
        )
    if status == httpx.codes.UNAUTHORIZED:
        raise NotFound(
            "the package index wants a name and a password: configure them for pip",
            code="auth-required",
        )
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise NetworkDown(
            f"the package index failed (status {status}): crawl again later"
        )
