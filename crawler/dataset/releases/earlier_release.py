"""Hold a release against an earlier one, in memory that does not grow with either."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from crawler.codec import decode, encode
from crawler.dataset.releases.release_files import (
    CHANGED,
    ReleasedKernel,
    Tombstone,
    iter_kernels,
    read_manifest,
)
from crawler.model import Repo
from crawler.sandbox.process_folders import make_prefix

_CREATE: Final = (
    "CREATE TABLE kernel (position INTEGER PRIMARY KEY, id TEXT UNIQUE, digest TEXT, "
    "line BLOB, reason TEXT NOT NULL DEFAULT 'left-out')"
)
_UNCHANGED: Final = ""

ReasonFinder = Callable[[ReleasedKernel], str]
"""Says why a kernel is gone, of which no selection has heard; empty where nothing tells."""


class EarlierRelease:
    """The kernels of an earlier release, with what became of them."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self.name = name

    def compare(self, kernel: ReleasedKernel) -> bool:
        """Tell whether a kernel is new or has changed, and note that it is still there."""
        earlier_row = self._connection.execute(
            "SELECT digest FROM kernel WHERE id = ?", (kernel.kernel,)
        ).fetchone()
        if earlier_row is None:
            return True

        is_changed = bool(earlier_row[0] != kernel.digest)
        self.note_reason(kernel.kernel, CHANGED if is_changed else _UNCHANGED)
        return is_changed

    def note_reason(self, kernel: str, reason: str) -> None:
        """Note why the earlier rows of a kernel have to go."""
        self._connection.execute(
            "UPDATE kernel SET reason = ? WHERE id = ?", (reason, kernel)
        )

    def iter_tombstones(self, find_reason: ReasonFinder) -> Iterator[Tombstone]:
        """Yield what has to go, in the order of the earlier release."""
        rows = self._connection.execute(
            "SELECT line, reason FROM kernel WHERE reason != ? ORDER BY position",
            (_UNCHANGED,),
        )
        for line, noted in rows:
            kernel = decode(line, ReleasedKernel)
            reason = noted
            if noted == "left-out":
                reason = find_reason(kernel) or noted

            yield Tombstone(
                kernel=kernel.kernel,
                reason=reason,
                repository=f"{kernel.owner}/{kernel.name}".lstrip("/"),
                commit=kernel.commit,
                path=kernel.path,
            )


@contextmanager
def open_earlier_release(folder: Path, schema: str) -> Iterator[EarlierRelease]:
    """Read the kernels of a release into a temporary database.

    Raises `Misconfigured` (`bad-release`) for a folder that is no release with rows of the form
    `schema`.
    """
    from crawler.errors import Misconfigured

    manifest = read_manifest(folder)
    if manifest.schema != schema:
        raise Misconfigured(
            f"{folder} has rows of the form {manifest.schema}, and not {schema}: give a "
            "release of the same view",
            code="bad-release",
        )

    with (
        tempfile.TemporaryDirectory(prefix=make_prefix("release")) as scratch,
        closing(sqlite3.connect(Path(scratch) / "kernels.db")) as connection,
    ):
        # gone with the process: nothing is lost that could not be read again
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_CREATE)
        _read_kernels(connection, folder)
        yield EarlierRelease(connection, manifest.release)


def _read_kernels(connection: sqlite3.Connection, folder: Path) -> None:
    from crawler.errors import Misconfigured

    kernels = iter_kernels(folder)
    try:
        connection.executemany(
            "INSERT INTO kernel (id, digest, line) VALUES (?, ?, ?)",
            ((kernel.kernel, kernel.digest, encode(kernel)) for kernel in kernels),
        )
    # a release of others may say of its list what it likes: no kernels, or one twice
    except (ValueError, msgspec.MsgspecError, sqlite3.Error) as error:
        raise Misconfigured(
            f"{folder} has a list of kernels that cannot be read ({error}): give the folder "
            "that `kernelset export --release` wrote",
            code="bad-release",
        ) from error


def make_repo(kernel: ReleasedKernel, url: str = "") -> Repo:
    """Return the repository of a kernel as far as a release knows it."""
    return Repo(
        source=kernel.source,
        owner=kernel.owner,
        name=kernel.name,
        url=url,
        ref="",
        commit=kernel.commit,
    )
