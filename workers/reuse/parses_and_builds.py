"""Reuse parses and builds of earlier commits and of forks where no input differs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.model import Build, CompileCommand, Status, UnitFacts
from storage.ledger.interface import Stage
from workers.tasks.task_specs import stage_version, store_json

if TYPE_CHECKING:
    from storage.open import Storage

_INCLUDE: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?:include|import)(?:_next)?[ \t]*[<\"]([^>\"\n]+)", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """Where the facts of a unit lie, and what they were read from."""

    facts: str
    """Digest of the stored batch."""
    position: int
    files: tuple[tuple[str, str], ...]
    """(path, digest of its content) of every file of the project that it read."""
    tree: str
    """Digest of the stored names of all files that were there."""


class EarlierParses:
    """The parses of earlier commits, as they serve one checkout."""

    def __init__(self, storage: Storage, root: Path) -> None:
        self._storage = storage
        self._root = root
        self._digests: dict[str, str] = {}

    def find(self, command: CompileCommand) -> UnitFacts | None:
        """Return the facts of a command whose every file is as it was, with no new file that it
        could include.
        """
        kept = self._storage.source_memory.recall(_parse_key(command))
        if kept is None:
            return None
        known = decode(kept, _Parsed)
        if any(
            self._digest(path) != digest for path, digest in known.files
        ) or self._could_include_more(known):
            return None
        return decode(self._storage.blobs.get(known.facts), tuple[UnitFacts, ...])[
            known.position
        ]

    def remember(self, facts: Sequence[UnitFacts], stored: str) -> None:
        """Let the facts of a stored batch be found; what failed is tried again instead."""
        self._storage.source_memory.remember_all(
            (_parse_key(unit.command), encode(self._parsed(unit, stored, position)))
            for position, unit in enumerate(facts)
            if not unit.failure
        )

    def _parsed(self, unit: UnitFacts, stored: str, position: int) -> _Parsed:
        files = tuple((path, self._digest(path)) for path in unit.files)
        return _Parsed(facts=stored, position=position, files=files, tree=self._tree)

    def _could_include_more(self, known: _Parsed) -> bool:
        if known.tree == self._tree:
            return False
        before = set(decode(self._storage.blobs.get(known.tree), tuple[str, ...]))
        added = {_last(path) for path in self._names if path not in before}
        return bool(
            added & {name for path, _ in known.files for name in self._included(path)}
        )

    def _included(self, path: str) -> Iterator[str]:
        content = (self._root / path).read_bytes()
        return (
            _last(name.decode("utf-8", "replace")) for name in _INCLUDE.findall(content)
        )

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            file = self._root / path
            self._digests[path] = (
                hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
            )
        return self._digests[path]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        folders = ((Path(folder), names) for folder, _, names in os.walk(self._root))
        files = (folder / name for folder, names in folders for name in names)
        return tuple(sorted(file.relative_to(self._root).as_posix() for file in files))

    @cached_property
    def _tree(self) -> str:
        return store_json(self._storage.blobs, self._names)


def find_known_build(storage: Storage, unit: str, target: str) -> Build | None:
    """Return the build of a unit by this very toolchain and version, unless there was none to
    compile it.
    """
    kept = storage.source_memory.recall(_build_key(unit, target))
    return decode(storage.blobs.get(kept.decode()), Build) if kept else None


def remember_builds(storage: Storage, builds: Sequence[Build]) -> None:
    """Let builds be found; what no compiler was there for, or broke on our side, is tried again
    instead.
    """
    lasting = [build for build in builds if _lasts(build)]
    stored = storage.blobs.put_many(encode(build) for build in lasting)
    storage.source_memory.remember_all(
        (_build_key(build.unit, build.target), digest.encode())
        for build, digest in zip(lasting, stored, strict=True)
    )


def _lasts(build: Build) -> bool:
    return (
        build.pass_call.status is not Status.SKIPPED
        and build.pass_call.code not in ("internal", "compile-timeout")
    )


def _parse_key(command: CompileCommand) -> str:
    return f"parse {stage_version(Stage.EXTRACT)} {hashlib.sha256(encode(command)).hexdigest()}"


def _build_key(unit: str, target: str) -> str:
    return f"build {stage_version(Stage.VALIDATE)} {target} {unit}"


def _last(path: str) -> str:
    return path.rpartition("/")[2]
