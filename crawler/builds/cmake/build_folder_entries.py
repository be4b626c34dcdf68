"""Compile database entries of a configured build folder, custom device compiler rules included."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec

from crawler.builds.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    DatabaseEntry,
    decode_entries,
)
from crawler.builds.commands.response_files import split_command_line
from crawler.errors import BadDatabase

_RULE: Final = re.compile(r"^  COMMAND = (.*\b(?:nvcc|hipcc)\b.*)$", re.MULTILINE)
_ESCAPED: Final = re.compile(r"\$(.)")
_COMPILER: Final = re.compile(r"(?:.*/)?(?:nvcc|hipcc)")
_MOST: Final = 5000


def read_configured_entries(
    folder: Path,
    uncovered_files: AbstractSet[str],
    *,
    build_mount: str,
    source_mount: str,
) -> list[DatabaseEntry]:
    """Return what compiles in the build folder `folder`, called `build_mount` there, of the
    tree, called `source_mount` there.

    What was translated from one of the `uncovered_files` files of the tree counts as that file:
    nothing better is known of it.
    Raises `BadDatabase` where there is nothing.
    """
    try:
        exported = decode_entries(read_untrusted_file(folder / DATABASE_NAME))
    except BadDatabase:
        exported = []
    # a source of a language that is not enabled has an entry that does nothing
    entries = [
        _original(entry, uncovered_files, build_mount, source_mount)
        for entry in exported
        if entry.split_words()[1:]
    ]
    entries += _of_rules(folder, build_mount)
    if not entries:
        raise BadDatabase("CMake wrote no compile command", code="empty-database")
    return entries


def _original(
    entry: DatabaseEntry, unknown: AbstractSet[str], build: str, source: str
) -> DatabaseEntry:
    """Name the file of the tree that a build translates into its own folder before it compiles
    it, as hipify does.
    """
    place = posixpath.normpath(posixpath.join(entry.directory, entry.file))
    stem, dot, extension = place.removeprefix(build + "/").rpartition(".")
    if not place.startswith(build + "/") or not dot:
        return entry
    for name in (
        f"{stem}.{extension}",
        *(f"{stem}.{other}" for other in sorted(DEVICE_SOURCE_SUFFIXES)),
    ):
        if name in unknown:
            words = [_of_tree(word, build, source) for word in entry.split_words()]
            return msgspec.structs.replace(
                entry, file=f"{source}/{name}", arguments=words
            )
    return entry


def _of_tree(word: str, build: str, source: str) -> str:
    """Return an include path as one of the tree where it means the copies in the build folder,
    which nobody made.
    """
    option = next(
        (
            option
            for option in ("-I", "-isystem", "")
            if word.startswith(option + build + "/")
        ),
        None,
    )
    return word if option is None else option + source + word[len(option + build) :]


def _of_rules(folder: Path, build: str) -> Iterator[DatabaseEntry]:
    """Yield the device compilers' calls of commands that the project wrote out, which CMake
    does not export.
    """
    try:
        rules = read_untrusted_file(folder / "build.ninja").decode("utf-8", "replace")
    except BadDatabase:
        return
    for line in _RULE.findall(rules)[:_MOST]:
        directory = build
        for words in _calls(split_command_line(_ESCAPED.sub(r"\1", line))):
            if len(words) > 1 and words[0] == "cd":
                directory = posixpath.join(directory, words[1])
            elif words and _COMPILER.fullmatch(words[0]):
                for name in (
                    word for word in words if get_suffix(word) in DEVICE_SOURCE_SUFFIXES
                ):
                    yield DatabaseEntry(file=name, directory=directory, arguments=words)


def _calls(words: list[str]) -> Iterator[list[str]]:
    call: list[str] = []
    for word in [*words, "&&"]:
        if word in ("&&", ";", "||", "|"):
            yield call
            call = []
        else:
            call.append(word)
