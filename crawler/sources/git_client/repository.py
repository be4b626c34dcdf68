"""A bare repository for the objects of one commit."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from crawler import process
from crawler.errors import BadArchive, TooLarge
from crawler.process import CompletedProcess
from crawler.sources.git_client.commands import (
    MAX_ANSWER_BYTES,
    check_output,
    run_git,
    start_git,
)
from crawler.sources.git_client.remote import Remote
from crawler.sources.interface import Limits

_SHA256_LENGTH: Final = 64
_MAX_LISTING_BYTES: Final = 256 << 20
_BLOCK_BYTES: Final = 1 << 20
# a repository on this machine is served by a git of ours, which leaves out what it is told to,
# so that contents which nobody reads need not even be there: a partial clone lacks some
_LOCAL_SERVER: Final = (
    "--upload-pack=git -c uploadpack.allowFilter=true"
    " -c uploadpack.allowAnySHA1InWant=true upload-pack"
)
_BLOB_FORMAT: Final = "--batch-check=%(objecttype) %(objectname) %(objectsize)"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A path of a commit's tree, as it stands there."""

    mode: str
    """Octal: `100644`, `100755`, `120000` (link), `160000` (submodule)."""
    oid: str
    path: bytes


def list_remote_refs(
    remote: Remote,
    limits: Limits,
    *,
    flags: Sequence[str] = (),
    patterns: Sequence[str] = (),
) -> dict[str, str]:
    """Return the object ids of the refs that the server has, by name."""
    argv = ["ls-remote", *flags, "--", remote.url, *patterns]
    output = check_output(run_git(argv, remote, limits), remote, limits)

    oid_by_name: dict[str, str] = {}

    for line in output.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition("\t")
        oid_by_name[name] = oid

    return oid_by_name


@dataclass(frozen=True, slots=True)
class BareRepository:
    """A bare repository whose only remote is `remote`."""

    folder: Path
    remote: Remote
    limits: Limits

    @classmethod
    def create(
        cls, folder: Path, remote: Remote, limits: Limits, *, commit: str = ""
    ) -> BareRepository:
        """Create an empty repository in `folder`, which must not exist.

        Its objects have ids of the same kind as `commit`.
        """
        # git does not find that out by itself before a fetch.
        object_format = "sha256" if len(commit) == _SHA256_LENGTH else "sha1"
        argv = [
            "init",
            "--quiet",
            "--bare",
            "--template=",
            f"--object-format={object_format}",
            str(folder),
        ]

        check_output(run_git(argv, remote, limits), remote, limits)

        return cls(folder, remote, limits)

    def fetch(self, refspecs: Iterable[str], *flags: str) -> None:
        """Fetch objects or refs.

        Where the server cannot leave out what `--filter` names, it sends all of it.
        """
        argv = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            *([_LOCAL_SERVER] if self.remote.protocol == "file" else []),
            *flags,
            "--stdin",
            "origin",
        ]

        lines = [f"{refspec}\n" for refspec in refspecs]
        completed = run_git(
            argv,
            self.remote,
            self.limits,
            folder=self.folder,
            stdin="".join(lines).encode(),
        )

        if completed.exit_code != 0 and self._has_full_pack():
            raise TooLarge(
                f"{self.remote.url} is larger than `download_bytes`: "
                "raise that to take it"
            )

        check_output(completed, self.remote, self.limits)

    def list_absent(self, oids: Iterable[str]) -> set[str]:
        """Return the objects that a remote on this machine lacks itself, as partial clones do;
        none where it is elsewhere, or cannot be asked.
        """
        if self.remote.protocol != "file":
            return set()

        lines = [f"{oid}\n" for oid in oids]
        completed = run_git(
            [
                "-C",
                self.remote.url.removeprefix("file://"),
                "cat-file",
                "--batch-check",
            ],
            self.remote,
            self.limits,
            offline=True,
            stdin="".join(lines).encode(),
            keep=_MAX_LISTING_BYTES,
        )
        # `OID missing`, or `OID blob SIZE`
        answers = map(str.split, completed.output.decode().splitlines())
        return {answer[0] for answer in answers if answer[1:] == ["missing"]}

    def resolve_commit(self, name: str) -> str:
        """Return the full id of the commit that `name` means here.

        It is empty where the name means no commit, or several.
        """
        completed = self._run_offline(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
        if completed.exit_code != 0:
            return ""
        return completed.output.decode().strip()

    def read_blob_sizes(self) -> dict[str, int]:
        """Return the size of each blob that is here, by object id."""
        completed = self._run_offline(
            "cat-file",
            "--batch-all-objects",
            "--unordered",
            _BLOB_FORMAT,
            keep=_MAX_LISTING_BYTES,
        )

        output = check_output(completed, self.remote, self.limits)

        size_by_oid: dict[str, int] = {}

        for line in output.decode().splitlines():
            kind, oid, size = line.split()
            if kind == "blob":
                size_by_oid[oid] = int(size)

        return size_by_oid

    def iter_tree(self, commit: str) -> Generator[TreeEntry, None, None]:
        """Yield what the commit's tree holds, with the content of folders.

        The caller stops where that is too much.
        """
        argv = ["ls-tree", "-r", "-z", "--full-tree", commit]
        with self._read_output(argv, b"") as stream:
            # A block may end in the middle of an entry.
            pending = b""
            while block := stream.read1(_BLOCK_BYTES):
                *lines, pending = (pending + block).split(b"\0")
                for line in lines:
                    description, _, path = line.partition(b"\t")
                    mode, _, oid = description.decode().split(" ")
                    yield TreeEntry(mode, oid, path)

    def read_blobs(self, oids: Sequence[str]) -> Iterator[bytes]:
        """Yield the content of each blob, in this order; all of them must be here."""
        lines = [f"{oid}\n" for oid in oids]
        stdin = "".join(lines).encode()

        with self._read_output(["cat-file", "--batch"], stdin) as stream:
            for oid in oids:
                # `OID blob SIZE`, then the content, then a line feed.
                header = stream.readline().decode().split()
                if header[:2] != [oid, "blob"]:
                    raise BadArchive(
                        f"{self.remote.url} lacks an object of its own: "
                        "report it to its owner"
                    )

                yield stream.read(int(header[2]))
                stream.read(1)

    def measure_packs(self) -> int:
        """Return the size of the packs that were fetched: about what was downloaded."""
        return sum(pack.stat().st_size for pack in self._iter_packs())

    def _has_full_pack(self) -> bool:
        """Tell whether a pack reached the limit on a file: git dies of that without a word."""
        max_bytes = self.limits.download_bytes
        return any(pack.stat().st_size >= max_bytes for pack in self._iter_packs())

    def _iter_packs(self) -> Iterator[Path]:
        return (self.folder / "objects" / "pack").iterdir()

    def _run_offline(
        self, *argv: str, keep: int = MAX_ANSWER_BYTES
    ) -> CompletedProcess:
        return run_git(
            argv,
            self.remote,
            self.limits,
            folder=self.folder,
            offline=True,
            keep=keep,
        )

    @contextmanager
    def _read_output(
        self, argv: Sequence[str], stdin: bytes
    ) -> Iterator[io.BufferedReader]:
        """Give what git prints as a stream.

        Raises `BadArchive` where git did not end well, even if all was read.
        """
        with tempfile.TemporaryFile() as input_file, tempfile.TemporaryFile() as errors:
            input_file.write(stdin)
            input_file.seek(0)
            # From a file: a pipe would block where git prints before it has read all.
            child = start_git(
                argv,
                self.remote,
                self.limits,
                folder=self.folder,
                stdin=input_file,
                stderr=errors,
            )

            try:
                with cast("io.BufferedReader", child.stdout) as stream:
                    yield stream

                if child.wait() != 0:
                    raise BadArchive(
                        f"{self.remote.url} is malformed: report it to its owner",
                        code="bad-repository",
                    )
            finally:
                process.kill_group(child)
