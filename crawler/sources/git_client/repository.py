"""A hardened bare repository: no hooks, prompts, filters or user configuration."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from crawler import process
from crawler.errors import BadArchive, TooLarge
from crawler.process import CompletedProcess
from crawler.sources.git_client.errors import translate_failure
from crawler.sources.git_client.remote import Remote
from crawler.sources.interface import Limits

_SAFE: Final = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.bigFileThreshold": "64m",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.fsckObjects": "true",
    "fetch.unpackLimit": "1",  # one pack, so that a limit on a file bounds the whole
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "2",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "60",
    "advice.detachedHead": "false",
}
# harmless faults that old tools left in the newest commit of honest projects
_FORGIVEN: Final = (
    "zeroPaddedFilemode",
    "zeroPaddedDate",
    "badTimezone",
    "missingSpaceBeforeDate",
    "badFilemode",
)
_PASSED: Final = (
    "PATH",
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    *(f"{scheme}_proxy" for scheme in ("http", "https", "all", "no")),
    *(f"{scheme}_PROXY" for scheme in ("HTTPS", "ALL", "NO")),
)
_QUIET: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "SSH_ASKPASS_REQUIRE": "never",
}
_SSH: Final = "ssh -oBatchMode=yes -oConnectTimeout=30 -oForwardAgent=no -oClearAllForwardings=yes"
_SHA256: Final = 64
_MEMORY: Final = 4 << 30
_ANSWER: Final = 4 << 20
_LISTED: Final = 256 << 20
_BLOCK: Final = 1 << 20


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
    answer = _checked(
        _run(["ls-remote", *flags, "--", remote.url, *patterns], remote, limits),
        remote,
        limits,
    )
    lines = answer.decode("utf-8", "replace").splitlines()
    return {name: oid for oid, _, name in (line.partition("\t") for line in lines)}


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
        """Make an empty one in `folder`, which must not exist, for objects whose ids are like
        `commit`.
        """
        made = cls(folder, remote, limits)
        form = "sha256" if len(commit) == _SHA256 else "sha1"
        argv = [
            "init",
            "--quiet",
            "--bare",
            "--template=",
            f"--object-format={form}",
            str(folder),
        ]
        _checked(_run(argv, remote, limits), remote, limits)
        return made

    def fetch(self, refspecs: Iterable[str], *flags: str) -> None:
        """Bring objects or refs; where the server cannot leave out what `--filter` names, all
        of it comes.
        """
        argv = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            *flags,
            "--stdin",
            "origin",
        ]
        stdin = "".join(f"{each}\n" for each in refspecs).encode()
        finished = _run(argv, self.remote, self.limits, folder=self.folder, stdin=stdin)
        if finished.exit_code != 0 and self._is_full():
            raise TooLarge(
                f"{self.remote.url} is larger than `download_bytes`: raise that to take it"
            )
        _checked(finished, self.remote, self.limits)

    def resolve_commit(self, name: str) -> str:
        """Return the full id of the commit that `name` means here, empty where it means none,
        or several.
        """
        found = self._local(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
        return found.output.decode().strip() if found.exit_code == 0 else ""

    def read_blob_sizes(self) -> dict[str, int]:
        """Return the size of each blob that is here, by object id."""
        form = "--batch-check=%(objecttype) %(objectname) %(objectsize)"
        listed = self._local(
            "cat-file", "--batch-all-objects", "--unordered", form, keep=_LISTED
        )
        lines = _checked(listed, self.remote, self.limits).decode().splitlines()
        return {
            oid: int(size)
            for kind, oid, size in map(str.split, lines)
            if kind == "blob"
        }

    def iter_tree(self, commit: str) -> Generator[TreeEntry, None, None]:
        """Yield what the commit's tree holds, folders gone into; the caller stops where it is
        too much.
        """
        with self._reading(
            ["ls-tree", "-r", "-z", "--full-tree", commit], b""
        ) as stream:
            left = b""
            while block := stream.read1(_BLOCK):
                *whole, left = (left + block).split(b"\0")
                for line in whole:
                    about, _, path = line.partition(b"\t")
                    mode, _, oid = about.decode().split(" ")
                    yield TreeEntry(mode, oid, path)

    def read_blobs(self, oids: Sequence[str]) -> Iterator[bytes]:
        """Yield the content of each blob, in this order; all of them must be here."""
        with self._reading(
            ["cat-file", "--batch"], "".join(f"{oid}\n" for oid in oids).encode()
        ) as stream:
            for oid in oids:
                told = stream.readline().decode().split()
                if told[:2] != [oid, "blob"]:
                    raise BadArchive(
                        f"{self.remote.url} lacks an object of its own: report it to its owner"
                    )
                yield stream.read(int(told[2]))
                stream.read(1)

    def measure_packs(self) -> int:
        """Return how large the packs are that came: about what was downloaded."""
        return sum(
            pack.stat().st_size for pack in (self.folder / "objects" / "pack").iterdir()
        )

    def _is_full(self) -> bool:
        """Tell whether a pack reached the limit on a file: git dies of that without a word."""
        packs = (self.folder / "objects" / "pack").iterdir()
        return any(pack.stat().st_size >= self.limits.download_bytes for pack in packs)

    def _local(self, *argv: str, keep: int = _ANSWER) -> CompletedProcess:
        return _run(
            argv, self.remote, self.limits, folder=self.folder, offline=True, keep=keep
        )

    @contextmanager
    def _reading(
        self, argv: Sequence[str], stdin: bytes
    ) -> Iterator[io.BufferedReader]:
        """Give what git prints; raises `BadArchive` where it did not end well, though all was
        read.
        """
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
            source.write(stdin)
            source.seek(0)
            child = process.start(
                _argv(argv, self.remote, self.folder),
                env=_environment("none"),
                stdin=source,
                stderr=errors,
                limits=process.Limits(
                    memory_bytes=_MEMORY, cpu_seconds=int(self.limits.seconds)
                ),
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


def _run(
    argv: Sequence[str],
    remote: Remote,
    limits: Limits,
    *,
    folder: Path | None = None,
    offline: bool = False,
    stdin: bytes = b"",
    keep: int = _ANSWER,
) -> CompletedProcess:
    return process.run(
        _argv(argv, remote, folder),
        cwd=Path("/"),
        env=_environment("none" if offline else remote.protocol),
        stdin=stdin,
        limits=process.Limits(
            seconds=limits.seconds,
            memory_bytes=_MEMORY,
            file_bytes=limits.download_bytes,
        ),
        keep=keep,
    )


def _checked(finished: CompletedProcess, remote: Remote, limits: Limits) -> bytes:
    if finished.timed_out or finished.exit_code != 0:
        raise translate_failure(finished, remote.url, limits.seconds)
    return finished.output


def _argv(argv: Sequence[str], remote: Remote, folder: Path | None) -> list[str]:
    settings = dict(_SAFE) | {f"fetch.fsck.{each}": "ignore" for each in _FORGIVEN}
    settings["remote.origin.url"] = remote.url
    if "GIT_CONFIG_GLOBAL" not in os.environ:
        settings["credential.helper"] = ""
    options = [
        word for name, value in settings.items() for word in ("-c", f"{name}={value}")
    ]
    where = [f"--git-dir={folder}"] if folder else []
    return ["git", "--no-pager", *options, *where, *argv]


def _environment(protocol: str) -> dict[str, str]:
    """Return git's whole environment: of the operator's, only what is meant for it."""
    own = "GIT_CONFIG_GLOBAL" in os.environ
    return {name: os.environ[name] for name in _PASSED if name in os.environ} | {
        "HOME": os.environ.get("HOME", "/") if own else "/nonexistent",
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": protocol,
        "GIT_CONFIG_GLOBAL": str(Path(os.environ["GIT_CONFIG_GLOBAL"]).absolute())
        if own
        else "/dev/null",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", _SSH),
        **_QUIET,
    }
