"""Reuse parses and builds of earlier commits and of forks where no input differs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
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

# the bytes of every file that a unit has read: one in a comment costs a parse
_INCLUDE: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?:include|import)(?:_next)?[ \t]*[<\"]([^>\"\n]+)", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredParse:
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
        """Return the facts of an earlier parse of the same command, if they still hold.

        They do where every file that was read is as it was, and no file was added that one of
        them could include.
        """
        key = _parse_key(command)
        encoded_parse = self._storage.source_memory.recall(key)
        if encoded_parse is None:
            return None

        parse = decode(encoded_parse, _StoredParse)
        for path, digest in parse.files:
            if self._digest(path) != digest:
                return None
        if self._could_include_more(parse):
            return None

        encoded_batch = self._storage.blobs.get(parse.facts)
        batch = decode(encoded_batch, tuple[UnitFacts, ...])
        return batch[parse.position]

    def remember(self, facts: Sequence[UnitFacts], stored: str) -> None:
        """Let the facts of a stored batch be found; what failed is tried again instead."""
        encoded_parses: list[tuple[str, bytes]] = []
        for position, unit in enumerate(facts):
            if unit.failure:
                continue
            parse = self._describe(unit, stored, position)
            key = _parse_key(unit.command)
            encoded_parses.append((key, encode(parse)))

        self._storage.source_memory.remember_all(encoded_parses)

    def _describe(self, unit: UnitFacts, stored: str, position: int) -> _StoredParse:
        files = []
        for path in unit.files:
            digest = self._digest(path)
            files.append((path, digest))

        return _StoredParse(
            facts=stored, position=position, files=tuple(files), tree=self._tree_digest
        )

    def _could_include_more(self, parse: _StoredParse) -> bool:
        """Tell whether a file that was added since may be meant by an `#include` of the unit.

        Names alone are compared: which folders are searched is for a parse to say.
        """
        if parse.tree == self._tree_digest:
            return False

        encoded_paths = self._storage.blobs.get(parse.tree)
        earlier_paths = decode(encoded_paths, tuple[str, ...])
        added_paths = set(self._paths) - set(earlier_paths)
        added_names = set(map(_file_name, added_paths))
        for path, _ in parse.files:
            included_names = self._list_included_names(path)
            if not added_names.isdisjoint(included_names):
                return True

        return False

    def _list_included_names(self, path: str) -> list[str]:
        file = self._root / path
        content = file.read_bytes()
        names = []
        for included in _INCLUDE.findall(content):
            included_path = included.decode("utf-8", "replace")
            names.append(_file_name(included_path))

        return names

    def _digest(self, path: str) -> str:
        """Return the digest of a file's content, empty where there is no such file."""
        if path in self._digests:
            return self._digests[path]

        digest = ""
        file = self._root / path
        if file.is_file():
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()

        self._digests[path] = digest
        return digest

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        paths = []
        for folder, _, names in os.walk(self._root):
            for name in names:
                file = Path(folder) / name
                path = file.relative_to(self._root)
                paths.append(path.as_posix())

        return tuple(sorted(paths))

    @cached_property
    def _tree_digest(self) -> str:
        return store_json(self._storage.blobs, self._paths)


def find_known_build(storage: Storage, unit: str, target: str) -> Build | None:
    """Return the build of a unit by this very toolchain and version; `None` if there is none."""
    key = _build_key(unit, target)
    digest = storage.source_memory.recall(key)
    if not digest:
        return None

    encoded_build = storage.blobs.get(digest.decode())
    return decode(encoded_build, Build)


def remember_builds(storage: Storage, builds: Sequence[Build]) -> None:
    """Let builds be found by later commits.

    What no compiler was there for, or what broke on our side, is tried again instead.
    """
    final_builds = list(filter(_is_final, builds))
    encoded_builds = map(encode, final_builds)
    digests = storage.blobs.put_many(encoded_builds)

    known_builds: list[tuple[str, bytes]] = []
    for build, digest in zip(final_builds, digests, strict=True):
        key = _build_key(build.unit, build.target)
        known_builds.append((key, digest.encode()))

    storage.source_memory.remember_all(known_builds)


def _is_final(build: Build) -> bool:
    verdict = build.pass_call
    is_our_fault = verdict.code in ("internal", "compile-timeout")
    return verdict.status is not Status.SKIPPED and not is_our_fault


def _parse_key(command: CompileCommand) -> str:
    encoded_command = encode(command)
    digest = hashlib.sha256(encoded_command).hexdigest()
    version = stage_version(Stage.EXTRACT)
    return f"parse {version} {digest}"


def _build_key(unit: str, target: str) -> str:
    version = stage_version(Stage.VALIDATE)
    return f"build {version} {target} {unit}"


def _file_name(path: str) -> str:
    _, _, name = path.rpartition("/")
    return name
