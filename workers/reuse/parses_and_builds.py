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
        encoded_parse = self._storage.source_memory.recall(_parse_key(command))
        if encoded_parse is None:
            return None
        parse = decode(encoded_parse, _StoredParse)
        for path, digest in parse.files:
            if self._digest(path) != digest:
                return None
        if self._could_include_more(parse):
            return None
        batch = decode(self._storage.blobs.get(parse.facts), tuple[UnitFacts, ...])
        return batch[parse.position]

    def remember(self, facts: Sequence[UnitFacts], stored: str) -> None:
        """Let the facts of a stored batch be found; what failed is tried again instead."""
        self._storage.source_memory.remember_all(
            (_parse_key(unit.command), encode(self._describe(unit, stored, position)))
            for position, unit in enumerate(facts)
            if not unit.failure
        )

    def _describe(self, unit: UnitFacts, stored: str, position: int) -> _StoredParse:
        files = tuple((path, self._digest(path)) for path in unit.files)
        return _StoredParse(
            facts=stored, position=position, files=files, tree=self._tree_digest
        )

    def _could_include_more(self, parse: _StoredParse) -> bool:
        """Tell whether a file that was added since may be meant by an `#include` of the unit.

        Names alone are compared: which folders are searched is for a parse to say.
        """
        if parse.tree == self._tree_digest:
            return False
        earlier_paths = decode(self._storage.blobs.get(parse.tree), tuple[str, ...])
        added_paths = set(self._paths) - set(earlier_paths)
        added_names = {_file_name(path) for path in added_paths}
        for path, _ in parse.files:
            if not added_names.isdisjoint(self._list_included_names(path)):
                return True
        return False

    def _list_included_names(self, path: str) -> list[str]:
        content = (self._root / path).read_bytes()
        included = [
            name.decode("utf-8", "replace") for name in _INCLUDE.findall(content)
        ]
        return [_file_name(name) for name in included]

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            file = self._root / path
            digest = ""
            if file.is_file():
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
            self._digests[path] = digest
        return self._digests[path]

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        paths = []
        for folder, _, names in os.walk(self._root):
            for name in names:
                file = Path(folder) / name
                paths.append(file.relative_to(self._root).as_posix())
        return tuple(sorted(paths))

    @cached_property
    def _tree_digest(self) -> str:
        return store_json(self._storage.blobs, self._paths)


def find_known_build(storage: Storage, unit: str, target: str) -> Build | None:
    """Return the build of a unit by this very toolchain and version; `None` if there is none."""
    digest = storage.source_memory.recall(_build_key(unit, target))
    if not digest:
        return None
    return decode(storage.blobs.get(digest.decode()), Build)


def remember_builds(storage: Storage, builds: Sequence[Build]) -> None:
    """Let builds be found by later commits.

    What no compiler was there for, or what broke on our side, is tried again instead.
    """
    final_builds = [build for build in builds if _is_final(build)]
    digests = storage.blobs.put_many(encode(build) for build in final_builds)
    storage.source_memory.remember_all(
        (_build_key(build.unit, build.target), digest.encode())
        for build, digest in zip(final_builds, digests, strict=True)
    )


def _is_final(build: Build) -> bool:
    verdict = build.pass_call
    is_our_fault = verdict.code in ("internal", "compile-timeout")
    return verdict.status is not Status.SKIPPED and not is_our_fault


def _parse_key(command: CompileCommand) -> str:
    digest = hashlib.sha256(encode(command)).hexdigest()
    return f"parse {stage_version(Stage.EXTRACT)} {digest}"


def _build_key(unit: str, target: str) -> str:
    return f"build {stage_version(Stage.VALIDATE)} {target} {unit}"


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
