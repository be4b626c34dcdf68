"""A folder, a repository or an archive on this machine: `./path`, `/path`, `local:path`."""

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
from crawler.sources.interface import Limits, Source
from crawler.sources.unpack import SUFFIXES, unpack

_SKIPPED: Final = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"})
_BLOCK: Final = 1 << 20


class Local:
    """Files as they lie there; the commit is a digest over their names and contents."""

    name = "local"
    example = "./my-project"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator is a path."""
        return locator.startswith(("./", "../", "/", "~", "local:")) or locator in (".", "..")

    def list(self, locator: str, limits: Limits) -> Iterator[Repo]:
        """Yield the one folder or archive; raises `NotFound`."""
        path = _path(locator)
        if path.is_dir():
            commit = _digest(path, limits)
        elif path.is_file() and path.name.endswith(SUFFIXES):
            commit = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        else:
            raise NotFound(f"there is no folder and no archive at {path}: check the path")
        name = path.name or "root"
        yield Repo(source=self.name, owner="", name=name, url=path.as_uri(), ref="", commit=commit)

    def fetch(self, repo: Repo, destination: Path, limits: Limits) -> Checkout:
        """Copy the regular files; raises `NotFound` where they are gone, `TooLarge` over a limit."""
        path = _from_uri(repo.url)
        if path.is_file():
            unpack(path, destination, limits)
        elif path.is_dir():
            _copy(path, destination, limits)
        else:
            raise NotFound(f"{path} is no longer there: list it again")
        return Checkout(repo=repo, root=destination)


def _path(locator: str) -> Path:
    return Path(locator.removeprefix("local:")).expanduser().absolute().resolve()


def _from_uri(url: str) -> Path:

    return Path(unquote(urlsplit(url).path))


def _files(root: Path, limits: Limits) -> Iterator[Path]:
    """Yield the regular files under `root` in a stable order, links and what is too large aside."""
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            path = Path(folder, name)
            state = path.lstat()
            if stat.S_ISREG(state.st_mode) and state.st_size <= limits.file_bytes:
                count += 1
                if count > limits.files:
                    raise TooLarge(f"{root} has over {limits.files} files: name a smaller folder")
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
            raise TooLarge(f"{root} holds over {limits.unpacked_bytes} bytes: name a smaller folder")
        state.update(os.fsencode(path.relative_to(root)) + b"\0" + content.digest())
    return f"sha256:{state.hexdigest()}"


def _copy(root: Path, destination: Path, limits: Limits) -> None:
    left = limits.unpacked_bytes
    for path in _files(root, limits):
        content = path.read_bytes()
        left -= len(content)
        if left < 0:
            raise TooLarge(f"{root} holds over {limits.unpacked_bytes} bytes: name a smaller folder")
        target = destination / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


PLUGIN: Final[Source] = Local()
