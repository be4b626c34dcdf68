"""Entries of a configured build folder: those that CMake exports, and what its rules compile besides."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec

from crawler.builds.commands.entries import NAME, Entry, decode_entries
from crawler.builds.commands.response import words_of
from crawler.builds.reading.scan import DEVICE_SOURCES, suffix
from crawler.builds.reading.untrusted import read_left
from crawler.errors import BadDatabase

_RULE: Final = re.compile(r"^  COMMAND = (.*\b(?:nvcc|hipcc)\b.*)$", re.MULTILINE)
_ESCAPED: Final = re.compile(r"\$(.)")
_COMPILER: Final = re.compile(r"(?:.*/)?(?:nvcc|hipcc)")
_MOST: Final = 5000


def configured_entries(folder: Path, unknown: AbstractSet[str], *, build: str, source: str) -> list[Entry]:
    """Return what compiles in the build folder `folder`, called `build` there, of the tree, called `source` there.

    What was translated from one of the `unknown` files of the tree counts as that file: nothing better is known of it.
    Raises `BadDatabase` where there is nothing.
    """
    try:
        exported = decode_entries(read_left(folder / NAME))
    except BadDatabase:
        exported = []
    # a source of a language that is not enabled has an entry that does nothing
    entries = [_original(entry, unknown, build, source) for entry in exported if entry.words()[1:]]
    entries += _of_rules(folder, build)
    if not entries:
        raise BadDatabase("CMake wrote no compile command", code="empty-database")
    return entries


def _original(entry: Entry, unknown: AbstractSet[str], build: str, source: str) -> Entry:
    """Name the file of the tree that a build translates into its own folder before it compiles it, as hipify does."""
    place = posixpath.normpath(posixpath.join(entry.directory, entry.file))
    stem, dot, extension = place.removeprefix(build + "/").rpartition(".")
    if not place.startswith(build + "/") or not dot:
        return entry
    for name in (f"{stem}.{extension}", *(f"{stem}.{other}" for other in sorted(DEVICE_SOURCES))):
        if name in unknown:
            words = [_of_tree(word, build, source) for word in entry.words()]
            return msgspec.structs.replace(entry, file=f"{source}/{name}", arguments=words)
    return entry


def _of_tree(word: str, build: str, source: str) -> str:
    """Return an include path as one of the tree where it means the copies in the build folder, which nobody made."""
    option = next((option for option in ("-I", "-isystem", "") if word.startswith(option + build + "/")), None)
    return word if option is None else option + source + word[len(option + build) :]


def _of_rules(folder: Path, build: str) -> Iterator[Entry]:
    """Yield the device compilers' calls of commands that the project wrote out, which CMake does not export."""
    try:
        rules = read_left(folder / "build.ninja").decode("utf-8", "replace")
    except BadDatabase:
        return
    for line in _RULE.findall(rules)[:_MOST]:
        directory = build
        for words in _calls(words_of(_ESCAPED.sub(r"\1", line))):
            if len(words) > 1 and words[0] == "cd":
                directory = posixpath.join(directory, words[1])
            elif words and _COMPILER.fullmatch(words[0]):
                for name in (word for word in words if suffix(word) in DEVICE_SOURCES):
                    yield Entry(file=name, directory=directory, arguments=words)


def _calls(words: list[str]) -> Iterator[list[str]]:
    call: list[str] = []
    for word in [*words, "&&"]:
        if word in ("&&", ";", "||", "|"):
            yield call
            call = []
        else:
            call.append(word)
