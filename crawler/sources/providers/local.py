"""Local source: a folder, repository or archive on this machine."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from crawler.errors import NotFound, TooLarge
from crawler.model import Checkout, Repo
from crawler.sources import file_names
from crawler.sources.archive.reader import ARCHIVE_SUFFIXES
from crawler.sources.archive.unpack import clear_folder, unpack_archive
from crawler.sources.interface import Limits, Source, SourceOptions

_SKIPPED: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"}
)
_BLOCK: Final = 1 << 20


class Local:
    """Files as they lie there; the commit is a digest over their names and contents."""

    name = "local"
    example = "./my-project"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator is a path."""
        return locator.startswith(("./", "../", "/", "~", "local:")) or locator in (
            ".",
            "..",
        )

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all that an owner has: never here."""
        return False

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the one folder or archive; raises `NotFound`."""
        path = _path(locator)
        if path.is_dir():
            commit = _digest(path, options.limits)
        elif path.is_file() and path.name.endswith(ARCHIVE_SUFFIXES):
            commit = _archive_digest(path)
        else:
            raise NotFound(
                f"there is no folder and no archive at {path}: check the path"
            )
        name = path.name or "root"
        yield Repo(
            source=self.name,
            owner="",
            name=name,
            url=path.as_uri(),
            ref="",
            commit=commit,
        )

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository as it is: the list has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Copy the regular files; raises `NotFound` where they are gone or others, `TooLarge`
        over a limit.
        """
        path = _from_uri(repo.url)
        try:
            commit = _take(path, destination, options.limits)
            if commit != repo.commit:
                raise NotFound(
                    f"{path} has changed since it was listed: crawl it again",
                    code="changed",
                )
        except BaseException:
            clear_folder(destination)
            raise
        return Checkout(repo=repo, root=destination)


def _path(locator: str) -> Path:
    return Path(locator.removeprefix("local:")).expanduser().absolute().resolve()


def _from_uri(url: str) -> Path:
    return Path(unquote(urlsplit(url).path))


def _take(path: Path, destination: Path, limits: Limits) -> str:
    """Put what lies at `path` under `destination`, and return its digest."""
    if path.is_dir():
        _copy(path, destination, limits)
        return _digest(destination, limits)
    if path.is_file():
        unpack_archive(path, destination, limits)
        return _archive_digest(path)
    raise NotFound(f"{path} is no longer there: list it again")


def _archive_digest(path: Path) -> str:
    with path.open("rb") as opened:
        return f"sha256:{hashlib.file_digest(opened, 'sha256').hexdigest()}"


def _files(root: Path, limits: Limits) -> Iterator[Path]:
    """Yield the regular files under `root` in a stable order; links, odd names and what is too
    large aside.
    """
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            state = path.lstat()
            plain = file_names.is_printable_name(path.relative_to(root).as_posix())
            if (
                plain
                and stat.S_ISREG(state.st_mode)
                and state.st_size <= limits.file_bytes
            ):
                count += 1
                if count > limits.files:
                    raise TooLarge(
                        f"{root} has over {limits.files} files: name a smaller folder"
                    )
                yield path


def _digest(root: Path, limits: Limits) -> str:
    state = hashlib.sha256()
    total = 0
    for path in _files(root, limits):
        content = hashlib.sha256()
        with path.open("rb") as opened:
            while block := opened.read(_BLOCK):
                content.update(block)
                total += len(block)
        if total > limits.unpacked_bytes:
            raise TooLarge(
                f"{root} holds over {limits.unpacked_bytes} bytes: name a smaller folder"
            )
        state.update(os.fsencode(path.relative_to(root)) + b"\0" + content.digest())
    return f"sha256:{state.hexdigest()}"


def _copy(root: Path, destination: Path, limits: Limits) -> None:
    left = limits.unpacked_bytes
    for path in _files(root, limits):
        content = path.read_bytes()
        left -= len(content)
        if left < 0:
            raise TooLarge(
                f"{root} holds over {limits.unpacked_bytes} bytes: name a smaller folder"
            )
        target = destination / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


PLUGIN: Final[Source] = Local()
