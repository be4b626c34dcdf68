"""Compile database entries of a configured build folder, custom device compiler rules included."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec

from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    DatabaseEntry,
    decode_entries,
)
from crawler.builds.commands.response_files import split_command_line
from crawler.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase

# A command that the project wrote out in `add_custom_command`, as the Ninja generator
# renders it: `  COMMAND = cd /build/sub && /opt/cuda/bin/nvcc -c /src/scan.cu`.
_DEVICE_COMPILER_RULE: Final = re.compile(
    r"^  COMMAND = (.*\b(?:nvcc|hipcc)\b.*)$", re.MULTILINE
)
_NINJA_ESCAPE: Final = re.compile(r"\$(.)")
_DEVICE_COMPILER: Final = re.compile(r"(?:.*/)?(?:nvcc|hipcc)")
_SHELL_OPERATORS: Final = frozenset({"&&", ";", "||", "|"})
_MAX_RULES: Final = 5000


def read_configured_entries(
    folder: Path,
    uncovered_files: AbstractSet[str],
    *,
    build_mount: str,
    source_mount: str,
) -> list[DatabaseEntry]:
    """Return the compile database entries of a configured build folder.

    `folder` is mounted as `build_mount` where CMake ran, and the checkout as `source_mount`.
    An entry for a translated copy of one of the `uncovered_files` of the checkout counts as
    an entry for that file. Raises `BadDatabase` where the folder has no entry.
    """
    # A source of a language that is not enabled has an entry with an empty command.
    exported_entries = [
        entry for entry in _read_exported_entries(folder) if entry.split_words()[1:]
    ]

    entries = [
        _redirect_to_checkout(entry, uncovered_files, build_mount, source_mount)
        for entry in exported_entries
    ]

    entries.extend(_iter_rule_entries(folder, build_mount))

    if not entries:
        raise BadDatabase("CMake wrote no compile command", code="empty-database")

    return entries


def _read_exported_entries(folder: Path) -> list[DatabaseEntry]:
    try:
        return decode_entries(read_untrusted_file(folder / DATABASE_NAME))
    except BadDatabase:
        return []


def _redirect_to_checkout(
    entry: DatabaseEntry,
    uncovered_files: AbstractSet[str],
    build_mount: str,
    source_mount: str,
) -> DatabaseEntry:
    """Name the file of the checkout that a build translated into its own folder.

    Hipify does so: `/build/src/scan.hip` is made from `/src/src/scan.cu`.
    """
    path = posixpath.normpath(posixpath.join(entry.directory, entry.file))
    build_prefix = build_mount + "/"
    if not path.startswith(build_prefix):
        return entry

    # The copy has the path that its original has below the checkout.
    stem, dot, extension = path.removeprefix(build_prefix).rpartition(".")
    if not dot:
        return entry

    for source_extension in (extension, *sorted(DEVICE_SOURCE_SUFFIXES)):
        name = f"{stem}.{source_extension}"
        if name not in uncovered_files:
            continue

        words = [
            _redirect_include_path(word, build_mount, source_mount)
            for word in entry.split_words()
        ]

        return msgspec.structs.replace(
            entry,
            file=f"{source_mount}/{name}",
            arguments=words,
        )

    return entry


def _redirect_include_path(word: str, build_mount: str, source_mount: str) -> str:
    """Point an include path at the checkout, since the build folder lacks the copies."""
    # The empty option stands for a path that is a word of its own.
    for option in ("-I", "-isystem", ""):
        if word.startswith(f"{option}{build_mount}/"):
            path = word[len(option) + len(build_mount) :]
            return option + source_mount + path

    return word


def _iter_rule_entries(folder: Path, build_mount: str) -> Iterator[DatabaseEntry]:
    """Yield the device compiler calls of custom commands, which CMake does not export."""
    try:
        rules = read_untrusted_file(folder / "build.ninja").decode("utf-8", "replace")
    except BadDatabase:
        return

    for rule in _DEVICE_COMPILER_RULE.findall(rules)[:_MAX_RULES]:
        command_line = _NINJA_ESCAPE.sub(r"\1", rule)
        yield from _iter_command_entries(split_command_line(command_line), build_mount)


def _iter_command_entries(
    command_line: Iterable[str], directory: str
) -> Iterator[DatabaseEntry]:
    for words in _iter_simple_commands(command_line):
        # `cd /build/sub && nvcc …`: the folder holds for the rest of the line.
        if len(words) > 1 and words[0] == "cd":
            directory = posixpath.join(directory, words[1])
            continue
        if not words or not _DEVICE_COMPILER.fullmatch(words[0]):
            continue

        for word in words:
            if get_suffix(word) in DEVICE_SOURCE_SUFFIXES:
                yield DatabaseEntry(
                    file=word,
                    directory=directory,
                    arguments=words,
                )


def _iter_simple_commands(words: Iterable[str]) -> Iterator[list[str]]:
    command: list[str] = []
    for word in words:
        if word in _SHELL_OPERATORS:
            yield command
            command = []
        else:
            command.append(word)

    yield command
