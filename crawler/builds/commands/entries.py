"""Entries of a `compile_commands.json`, and where in the checkout they belong."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from crawler.builds.commands import archs
from crawler.builds.commands.dialect import dialect
from crawler.builds.commands.normalise import Flags, normalise
from crawler.builds.commands.response import response_words, words_of
from crawler.builds.interface import Yield
from crawler.builds.reading.includes import IncludeGraph
from crawler.builds.reading.scan import DEVICE_SOURCES, HOST_SOURCES, suffix
from crawler.builds.reading.untrusted import LARGEST
from crawler.builds.trees.generated import Made
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, Dialect, FlagsOrigin

NAME: Final = "compile_commands.json"
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_NOTED: Final = 50
_TOLD_BY: Final = 3
_NOTED_ASIDE: Final = 200
_LONGEST_NOTED: Final = 200


class Entry(msgspec.Struct, frozen=True):
    """An entry as the file has it."""

    file: str
    directory: str = "."
    arguments: list[str] | None = None
    command: str = ""
    output: str = ""

    def words(self) -> list[str]:
        """Return the command line as words."""
        if self.arguments is not None:
            return list(self.arguments)
        return [*response_words(self.command, nvcc=True)] if self.of_windows() else words_of(self.command)

    def of_windows(self) -> bool:
        """Tell whether its paths begin with the letter of a drive."""
        return bool(_DRIVE.match(self.directory) or _DRIVE.match(self.file))


def read_entries(path: Path) -> list[Entry]:
    """Read a compile database. Raises `BadDatabase`: `malformed-database` or `empty-database`."""
    try:
        with path.open("rb") as stream:
            return decode_entries(stream.read(LARGEST + 1), path.name)
    except OSError as error:
        raise BadDatabase(f"{path} cannot be read: {error.strerror}", code="malformed-database") from error


def decode_entries(content: bytes, name: str = NAME) -> list[Entry]:
    """Decode a compile database's content; raises as `read_entries` does."""
    try:
        entries = msgspec.json.decode(content, type=list[Entry])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        message = f"{name} is no compile database ({error}): export it again"
        raise BadDatabase(message, code="malformed-database") from error
    if not entries:
        message = f"{name} is empty: was it made by a build that had all its objects cached? Build from clean"
        raise BadDatabase(message, code="empty-database")
    return entries


class Placing:
    """Maps a database's paths to the checkout's: `prefix` is what the database calls the checkout's root.

    What lies elsewhere is of the checkout where a build has written it: `made` says where.
    """

    def __init__(self, prefix: str, directory: str, *, windows: bool = False, made: Made | None = None) -> None:
        self._prefix = prefix.rstrip("/")
        self._directory = directory
        self._windows = windows
        self._made = made or Made()

    def __call__(self, path: str) -> str | None:
        """Return the path relative to the root, `.` for the root itself, `None` where it is outside."""
        absolute = posixpath.normpath(posixpath.join(self._directory, _slashed(path) if self._windows else path))
        if absolute == (self._prefix or "/"):
            return "."
        if "\0" in absolute:
            return None
        if not absolute.startswith(self._prefix + "/"):
            return self._made(absolute)
        return absolute[len(self._prefix) + 1 :]


def translate(
    entries: Sequence[Entry],
    graph: IncludeGraph,
    *,
    base: str,
    origin: FlagsOrigin,
    prefix: str = "",
    made: Made | None = None,
) -> Yield:
    """Turn entries into commands of the files that the checkout has.

    `base` is the folder that relative directories mean; `prefix` what the entries call the checkout's root, found out
    where it is empty; `made` where in `graph` that is which the build has written elsewhere. Raises `BadDatabase`
    (`database-for-another-tree`) where no entry is of this checkout.
    """
    files = frozenset(graph.tree.files)
    prefix = prefix or _prefix(entries, files, base, str(graph.tree.root))
    commands: dict[tuple[str, tuple[str, ...], Dialect | None], CompileCommand] = {}
    dropped: dict[str, None] = {}
    aside: dict[str, None] = {}
    moved = _by_ending(graph)
    made = made or Made()
    for entry in entries:
        place = Placing(prefix, _absolute(entry, base, "."), windows=entry.of_windows(), made=made)
        placed = place(entry.file)
        source = _here(made.copies.get(placed or "", placed), files, moved)
        if source is not None:
            flags = normalise(entry.words(), place, _response_files(place, graph), is_there=files.__contains__)
            dropped.update(dict.fromkeys(flags.dropped))
            aside.update(dict.fromkeys(flags.aside))
            command = _command(source, flags, graph, origin)
            key = (command.file, command.arguments, command.dialect)
            commands[key] = _for_more_archs(commands.get(key, command), command.offload_archs)
    if entries and not commands:
        raise _another_tree(entries, graph)
    return Yield(commands=tuple(commands.values()), log=_log(prefix, dropped, aside))


def _here(path: str | None, files: frozenset[str], moved: Mapping[str, str | None]) -> str | None:
    """Return the file that a path means: an archive may keep whole folders elsewhere than their build looks."""
    if path is None or path in files:
        return path
    return moved.get(_ending(path))


def _by_ending(graph: IncludeGraph) -> Mapping[str, str | None]:
    """Map the ends of sources' paths, three words long, to the file that alone ends so."""
    found: dict[str, str | None] = {}
    for path in graph.skims:
        if suffix(path) in DEVICE_SOURCES and path.count("/") >= _TOLD_BY:
            ending = _ending(path)
            found[ending] = None if ending in found else path
    return found


def _ending(path: str) -> str:
    return "/".join(path.split("/")[-_TOLD_BY:])


def _log(prefix: str, dropped: Iterable[str], aside: Iterable[str]) -> str:
    set_aside = " ".join(word[:_LONGEST_NOTED] for word in islice(aside, _NOTED_ASIDE))
    return "\n".join([f"root: {prefix}", *islice(dropped, _NOTED), *([f"set aside: {set_aside}"] if set_aside else [])])


def _command(source: str, flags: Flags, graph: IncludeGraph, origin: FlagsOrigin) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=source,
        arguments=tuple(flags.arguments),
        dialect=_dialect(source, flags, graph),
        origin=origin,
        offload_archs=flags.offload_archs,
    )


def _for_more_archs(command: CompileCommand, named: tuple[str, ...]) -> CompileCommand:
    """A file that is compiled for one arch at a time has one command."""
    return replace(command, offload_archs=tuple(dict.fromkeys((*command.offload_archs, *named)))[: archs.MOST])


def _dialect(source: str, flags: Flags, graph: IncludeGraph) -> Dialect | None:
    """The command's own word counts first, then its compiler's: nvcc hands host sources to the host compiler."""
    if flags.asked or (flags.dialect is Dialect.CUDA and suffix(source) in HOST_SOURCES):
        return flags.dialect if flags.asked else None
    if flags.dialect is Dialect.CUDA and _names_hip_alone(source, graph):
        return Dialect.HIP  # a build that translates names runs as if for nvcc here
    return flags.dialect or _spoken(source, graph)


def _names_hip_alone(source: str, graph: IncludeGraph) -> bool:
    skimmed = graph.skims.get(source)
    return skimmed is not None and skimmed.cuda == 0 < skimmed.hip


def _spoken(source: str, graph: IncludeGraph) -> Dialect | None:
    """A host compiler was given this file, unless its name says otherwise."""
    return None if suffix(source) in HOST_SOURCES else dialect(source, graph)


def _response_files(place: Placing, graph: IncludeGraph) -> Callable[[str], str | None]:
    def text(name: str) -> str | None:
        path = place(name)
        return graph.tree.text(path) if path in graph.tree.files else None

    return text


def _prefix(entries: Iterable[Entry], files: frozenset[str], base: str, root: str) -> str:
    """Find what the entries call the root: our own root, or the folder below which most of their files are ours."""
    votes: Counter[str] = Counter()
    total = 0
    for path in {_absolute(entry, base, entry.file) for entry in entries}:
        total += 1
        if path.startswith(root + "/"):
            votes[root] += path[len(root) + 1 :] in files
        elif (found := _longest_known(path, files)) is not None:
            votes[found] += 1
    best = max(votes, key=lambda prefix: (votes[prefix], prefix), default="")
    return best if best and votes[best] * 2 >= total else root


def _absolute(entry: Entry, base: str, file: str) -> str:
    """Return where a file of an entry is on the machine of that database; a drive's letter is a folder."""
    directory, path = (map(_slashed, (entry.directory, file))) if entry.of_windows() else (entry.directory, file)
    return posixpath.normpath(posixpath.join(base, directory, path))


def _slashed(path: str) -> str:
    slashed = path.replace("\\", "/")
    return f"/{slashed}" if _DRIVE.match(slashed) else slashed


def _longest_known(path: str, files: frozenset[str]) -> str | None:
    parts = path.lstrip("/").split("/")
    for start in range(1, len(parts)):
        if "/".join(parts[start:]) in files:
            return "/" + "/".join(parts[:start])
    return None


def _another_tree(entries: Sequence[Entry], graph: IncludeGraph) -> BadDatabase:
    seen = posixpath.join(entries[0].directory, entries[0].file)
    return BadDatabase(
        f"none of the {len(entries)} entries (the first is {seen[:200]}) is a file of {graph.tree.root.name}: "
        "this database was made for another tree; export one here",
        code="database-for-another-tree",
    )
