"""PyPI source: source distributions of `pypi:NAME` or `pypi:NAME==VERSION`, never executed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from crawler.errors import BadArchive, NotFound
from crawler.model import Checkout, Repo
from crawler.sources.archive.unpack import unpack_archive
from crawler.sources.interface import Source, SourceOptions
from crawler.sources.package_index.download import download
from crawler.sources.package_index.index import find_distribution

_PREFIX: Final = "pypi:"


class PyPI:
    """The package index that pip is configured for."""

    name = "pypi"
    example = "pypi:torch_scatter==2.1.2"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator begins with `pypi:`."""
        return locator.startswith(_PREFIX)

    def check_form(self, locator: str) -> None:
        """Raise `NotFound` where no package can be called so."""
        _parse_requirement(locator)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all repositories of an owner: never here."""
        return False

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the release, pinned by its archive's digest; raises `NotFound`, `NetworkDown`."""
        link, version = find_distribution(_parse_requirement(locator))
        # Only an index that publishes no sha256 costs a download here.
        digest = _get_published_digest(link)

        if not digest:
            with tempfile.TemporaryDirectory() as folder:
                digest = download(link, Path(folder) / "archive", options.limits)

        yield Repo(
            source=self.name,
            owner="",
            name=_get_project_name(link.filename, version),
            url=_remove_credentials(link),
            ref=version,
            commit=f"sha256:{digest}",
        )

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository as it is: `list` has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Download and unpack the archive that was pinned.

        Raises `BadArchive` where its digest differs.
        """
        link, _ = find_distribution(Requirement(f"{repo.name}=={repo.ref}"))
        with tempfile.TemporaryDirectory() as folder:
            # The suffix of the name tells how the archive is packed.
            archive = Path(folder) / Path(link.filename).name
            digest = download(link, archive, options.limits)
            if repo.commit != f"sha256:{digest}":
                raise BadArchive(
                    f"{link.filename} is not what was listed: list {repo.name} again"
                )

            unpack_archive(archive, destination, options.limits)

        return Checkout(
            repo=repo,
            root=_find_root(destination),
        )


def _parse_requirement(locator: str) -> Requirement:
    try:
        requirement = Requirement(locator.removeprefix(_PREFIX))
    except InvalidRequirement as error:
        raise NotFound(
            f"`{locator}` names no package: write pypi:NAME or pypi:NAME==VERSION",
            code="bad-locator",
        ) from error

    if requirement.url:
        raise NotFound(
            f"`{locator}` names an address: fetch it, and crawl the file as ./FILE",
            code="bad-locator",
        )
    return requirement


def _find_root(folder: Path) -> Path:
    """Return the one folder that a source distribution has at its top, or `folder` itself."""
    top_paths = list(folder.iterdir())
    if len(top_paths) == 1 and top_paths[0].is_dir():
        return top_paths[0]
    return folder


def _get_published_digest(link: Any) -> str:
    """Return the sha256 that the index publishes, empty where it has another one or none."""
    if link.hash_name == "sha256":
        return str(link.hash)

    hashes = link.hashes or {}

    return str(hashes.get("sha256", ""))


def _get_project_name(filename: str, version: str) -> str:
    """Return the normalised name of the project, with underscores as its archive has them."""
    stem = filename.split(f"-{version}")[0]
    return canonicalize_name(stem).replace("-", "_")


def _remove_credentials(link: Any) -> str:
    url = httpx.URL(link.url_without_fragment)
    return str(url.copy_with(username=None, password=None))


PLUGIN: Final[Source] = PyPI()
