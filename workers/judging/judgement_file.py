"""The file that judgements are appended to: what it has is not judged again."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec

from crawler import codec
from crawler.errors import Misconfigured
from crawler.judging.candidate import Candidate
from crawler.judging.judgement import SCHEMA_NAME, Judgement

Key = tuple[str, int, str]
"""Task, number and completion of a candidate."""
_LINE_START: Final = b'{"schema":' + codec.encode(SCHEMA_NAME)
SourceKey = tuple[str, str, str]
"""Digest of a task, digest of a source, and what it ran on."""


class JudgementFile:
    """Judgements as JSON lines, each whole or not there."""

    def __init__(self, file: IO[bytes], judgements: Iterable[Judgement]) -> None:
        self._file = file
        self._judgements: dict[Key, Judgement] = {}
        self._by_source: dict[SourceKey, Judgement] = {}
        self._remember(judgements)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """All of them, in the order in which they came."""
        return tuple(self._judgements.values())

    def find(self, candidate: Candidate) -> Judgement | None:
        """Return what came of a candidate; `None` where it was not judged."""
        key = (candidate.task_id, candidate.number, candidate.digest)
        return self._judgements.get(key)

    def find_source(self, task: str, source: str, device: str) -> Judgement | None:
        """Return what came of a source, by its digest, in a task; `None` where none was judged."""
        return self._by_source.get((task, source, device))

    def add(self, judgements: Iterable[Judgement]) -> None:
        """Append judgements; they are on the disk when this returns."""
        added = list(judgements)
        lines = b"".join(codec.encode(judgement) + b"\n" for judgement in added)
        self._file.write(lines)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._remember(added)

    def _remember(self, judgements: Iterable[Judgement]) -> None:
        for judgement in judgements:
            self._judgements[_key_of(judgement)] = judgement
            if not judgement.code:
                key = judgement.task, judgement.source, judgement.device
                self._by_source.setdefault(key, judgement)


@contextmanager
def open_judgement_file(path: Path) -> Iterator[JudgementFile]:
    """Open the file of judgements `path`, made where it is not there, for this process alone.

    A last line that was cut off, as by a kill, is removed. Raises `Misconfigured` where another
    process has the file, or something else stands in it.
    """
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise Misconfigured(
                f"{path} is being written by another process: wait for it, or name another "
                "file by --results",
                code="results-in-use",
            ) from problem

        file.seek(0)
        judgements: list[Judgement] = []
        whole_bytes = 0
        for line in file:
            if not line.endswith(b"\n"):
                _check_is_ours(path, line)
                break
            judgements.append(_parse_line(path, line))
            whole_bytes += len(line)

        file.truncate(whole_bytes)
        yield JudgementFile(file, judgements)


def _check_is_ours(path: Path, line_start: bytes) -> None:
    """Raise `Misconfigured` unless a line that was cut off began as one of ours does: somebody
    else's file is not to lose its end.
    """
    shared_bytes = min(len(line_start), len(_LINE_START))
    if line_start[:shared_bytes] != _LINE_START[:shared_bytes]:
        raise _refuse(path)


def _parse_line(path: Path, line: bytes) -> Judgement:
    try:
        judgement = codec.decode(line, Judgement)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise _refuse(path) from problem
    if judgement.schema != SCHEMA_NAME:
        raise _refuse(path)
    return judgement


def _refuse(path: Path) -> Misconfigured:
    return Misconfigured(
        f"{path} has something else than judgements of this version: name another file by "
        "--results",
        code="bad-results",
    )


def _key_of(judgement: Judgement) -> Key:
    return judgement.task_id, judgement.number, judgement.completion
