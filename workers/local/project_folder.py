"""A project in a folder: as it stands on this machine, or fetched for as long as it is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.errors import Misconfigured
from crawler.sandbox.process_folders import make_prefix
from crawler.sources.locator import find_source

if TYPE_CHECKING:
    from workers.config.settings import Settings


@contextmanager
def open_project(locator: str, settings: Settings) -> Iterator[Path]:
    """Yield the folder of the project that `locator` names.

    A folder of this machine is used as it stands; anything else is fetched and removed again.
    Raises `Misconfigured` where the locator names all repositories of an owner, and what its
    source raises.
    """
    folder = Path(locator).expanduser()
    if folder.is_dir():
        yield folder
        return

    source = find_source(locator)
    if source.is_owner(locator):
        raise Misconfigured(
            f"{locator} names all repositories of an owner: name one of them",
            code="several-repositories",
        )

    options = settings.terms()
    repo = next(iter(source.list(locator, options)))
    if not repo.commit:
        repo = source.pin(repo, options)
    options.optouts.reject_if_covered(repo)

    with tempfile.TemporaryDirectory(prefix=make_prefix("project")) as scratch:
        # what runs the project's code may be another user
        Path(scratch).chmod(0o755)
        destination = Path(scratch) / (repo.name or "project")
        destination.mkdir()
        yield source.fetch(repo, destination, options).root
