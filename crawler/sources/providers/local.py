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

_SKIPPED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"}
)
# what a crawl writes is no part of what it crawls, even where `KERNELSET_HOME` is within it
_DATABASE_OF_HOME: Final = "kernelset.db"
_BLOCK_BYTES: Final = 1 << 20


class Local:
    """Files of this machine; the commit is a digest over their names and contents."""

    name = "local"
    example = "./my-project"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator is a path."""
        if locator in (".", ".."):
            return True
        return locator.startswith(("./", "../", "/", "~", "local:"))

    def check_form(self, locator: str) -> None:
        """Take any path: whether something is there shows when it is listed."""

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all repositories of an owner: never here."""
        return False

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the one folder or archive; raises `NotFound`."""
        path = _parse_path(locator)

        if path.is_dir():
            commit = _hash_folder(path, options.limits)
        elif path.is_file() and path.name.endswith(ARCHIVE_SUFFIXES):
            commit = _hash_archive(path)
        else:
            raise _explain_absence(path)
        yield Repo(
            source=self.name,
            owner="",
            name=file_names.spell_name(path.name) or "root",
            url=path.as_uri(),
            ref="",
            commit=commit,
        )

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository as it is: `list` has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Copy the regular files.

        Raises `NotFound` where they are gone or have changed, and `TooLarge` over a limit.
        """
        path = _path_from_uri(repo.url)
        try:
            commit = _copy_or_unpack(path, destination, options.limits)
            if commit != repo.commit:
                raise NotFound(
                    f"{path} has changed since it was listed: crawl it again",
                    code="changed",
                )
        except BaseException:
            clear_folder(destination)
            raise

        return Checkout(
            repo=repo,
            root=destination,
        )


def _explain_absence(path: Path) -> NotFound:
    shown_path = file_names.spell_name(str(path))
    if not path.exists():
        return NotFound(f"there is nothing at {shown_path}: check the path")

    return NotFound(
        f"{shown_path} is neither a folder nor an archive: crawl its folder, or run"
        f" `kernelset extract --input-file` for one source"
    )


def _parse_path(locator: str) -> Path:
    name = locator.removeprefix("local:")
    path = Path(name).expanduser()
    if not path.exists():
        path = Path(file_names.read_spelling(name)).expanduser()
    return path.absolute().resolve()


def _path_from_uri(url: str) -> Path:
    return Path(unquote(urlsplit(url).path, errors="surrogateescape"))


def _copy_or_unpack(path: Path, destination: Path, limits: Limits) -> str:
    """Put the files of a folder or an archive under `destination`, and return their digest."""
    if path.is_dir():
        return _copy_folder(path, destination, limits)
    if path.is_file():
        unpack_archive(path, destination, limits)
        return _hash_archive(path)

    raise NotFound(f"{path} is no longer there: list it again")


def _hash_archive(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"sha256:{digest}"


def _iter_files(
    root: Path, limits: Limits, destination: Path | None = None
) -> Iterator[Path]:
    """Yield the regular files under `root` in a stable order.

    Links, files over the limit on a file, homes of Kernelset and what is in `destination` are
    left out.
    """
    count = 0
    for folder, subfolders, names in os.walk(root):
        is_inside = Path(folder) != root
        if Path(folder) == destination or (is_inside and _DATABASE_OF_HOME in names):
            subfolders.clear()
            continue

        # `os.walk` goes into those that are left in the list, in its order.
        subfolders[:] = sorted(set(subfolders) - _SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            if not _is_copied(path, limits):
                continue

            count += 1
            if count > limits.files:
                raise TooLarge(
                    f"{root} has over {limits.files} files: name a smaller folder"
                )

            yield path


def _is_copied(path: Path, limits: Limits) -> bool:
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size <= limits.file_bytes


def _hash_folder(root: Path, limits: Limits) -> str:
    digest = hashlib.sha256()
    total_bytes = 0
    for path in _iter_files(root, limits):
        file_digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                file_digest.update(block)
                total_bytes += len(block)

        _check_total(root, total_bytes, limits)

        # Without the folder above, so that a moved project has the same digest.
        name = os.fsencode(path.relative_to(root))
        digest.update(name + b"\0" + file_digest.digest())

    return f"sha256:{digest.hexdigest()}"


def _copy_folder(root: Path, destination: Path, limits: Limits) -> str:
    """Copy the files, and return the digest that `_hash_folder` gives of what was copied."""
    digest = hashlib.sha256()
    total_bytes = 0
    for path in _iter_files(root, limits, destination.resolve()):
        content = path.read_bytes()
        total_bytes += len(content)
        _check_total(root, total_bytes, limits)

        relative_path = path.relative_to(root)
        name = os.fsencode(relative_path)
        digest.update(name + b"\0" + hashlib.sha256(content).digest())

        target = destination / file_names.spell_path(relative_path.as_posix())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    return f"sha256:{digest.hexdigest()}"


def _check_total(root: Path, total_bytes: int, limits: Limits) -> None:
    if total_bytes > limits.unpacked_bytes:
        raise TooLarge(
            f"{root} holds over {limits.unpacked_bytes} bytes: name a smaller folder"
        )


PLUGIN: Final[Source] = Local()
