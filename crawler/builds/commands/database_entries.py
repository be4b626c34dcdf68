"""Read entries of a `compile_commands.json`, and translate them into commands of the checkout."""

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

from crawler.builds.checkout.generated_files import GeneratedPathMapper
from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.builds.checkout.untrusted_files import MAX_UNTRUSTED_BYTES
from crawler.builds.commands import arch_flags
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.commands.normalise import NormalisedFlags, normalise_command
from crawler.builds.commands.response_files import (
    split_command_line,
    split_response_file,
)
from crawler.builds.interface import FoundCommands
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, Dialect, FlagsOrigin

DATABASE_NAME: Final = "compile_commands.json"
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_NOTED: Final = 50
_TOLD_BY: Final = 3
_NOTED_ASIDE: Final = 200
_LONGEST_NOTED: Final = 200


class DatabaseEntry(msgspec.Struct, frozen=True):
    """An entry as the file has it."""

    file: str
    directory: str = "."
    arguments: list[str] | None = None
    command: str = ""
    output: str = ""

    def split_words(self) -> list[str]:
        """Return the command line as words."""
        if self.arguments is not None:
            return list(self.arguments)
        return (
            [*split_response_file(self.command, for_nvcc=True)]
            if self.is_windows()
            else split_command_line(self.command)
        )

    def is_windows(self) -> bool:
        """Tell whether its paths begin with the letter of a drive."""
        return bool(_DRIVE.match(self.directory) or _DRIVE.match(self.file))


def read_entries(path: Path) -> list[DatabaseEntry]:
    """Read a compile database. Raises `BadDatabase`: `malformed-database` or `empty-database`."""
    try:
        with path.open("rb") as stream:
            return decode_entries(stream.read(MAX_UNTRUSTED_BYTES + 1), path.name)
    except OSError as error:
        raise BadDatabase(
            f"{path} cannot be read: {error.strerror}", code="malformed-database"
        ) from error


def decode_entries(content: bytes, name: str = DATABASE_NAME) -> list[DatabaseEntry]:
    """Decode a compile database's content; raises as `read_entries` does."""
    try:
        entries = msgspec.json.decode(content, type=list[DatabaseEntry])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        message = f"{name} is no compile database ({error}): export it again"
        raise BadDatabase(message, code="malformed-database") from error
    if not entries:
        message = f"{name} is empty: was it made by a build that had all its objects cached? Build from clean"
        raise BadDatabase(message, code="empty-database")
    return entries


class CheckoutPathMapper:
    """Maps a database's paths to the checkout's: `prefix` is what the database calls the
    checkout's root.

    What lies elsewhere is of the checkout where a build has written it: `made` says where.
    """

    def __init__(
        self,
        recorded_root: str,
        directory: str,
        *,
        is_windows: bool = False,
        generated_paths: GeneratedPathMapper | None = None,
    ) -> None:
        self._prefix = recorded_root.rstrip("/")
        self._directory = directory
        self._windows = is_windows
        self._made = generated_paths or GeneratedPathMapper()

    def __call__(self, path: str) -> str | None:
        """Return the path relative to the root, `.` for the root itself, `None` where it is
        outside.
        """
        absolute = posixpath.normpath(
            posixpath.join(self._directory, _slashed(path) if self._windows else path)
        )
        if absolute == (self._prefix or "/"):
            return "."
        if "\0" in absolute:
            return None
        if not absolute.startswith(self._prefix + "/"):
            return self._made(absolute)
        return absolute[len(self._prefix) + 1 :]


def translate_entries(
    entries: Sequence[DatabaseEntry],
    graph: IncludeGraph,
    *,
    base_folder: str,
    origin: FlagsOrigin,
    recorded_root: str = "",
    generated_paths: GeneratedPathMapper | None = None,
) -> FoundCommands:
    """Turn entries into commands of the files that the checkout has.

    `base_folder` is the folder that relative directories mean; `recorded_root` what the entries
    call the checkout's root, found out
    where it is empty; `generated_paths` where in `graph` that is which the build has written
    elsewhere. Raises `BadDatabase`
    (`database-for-another-tree`) where no entry is of this checkout.
    """
    files = frozenset(graph.tree.files)
    recorded_root = recorded_root or _prefix(
        entries, files, base_folder, str(graph.tree.root)
    )
    commands: dict[tuple[str, tuple[str, ...], Dialect | None], CompileCommand] = {}
    dropped: dict[str, None] = {}
    aside: dict[str, None] = {}
    moved = _by_ending(graph)
    generated_paths = generated_paths or GeneratedPathMapper()
    for entry in entries:
        place = CheckoutPathMapper(
            recorded_root,
            _absolute(entry, base_folder, "."),
            is_windows=entry.is_windows(),
            generated_paths=generated_paths,
        )
        placed = place(entry.file)
        source = _here(
            generated_paths.copied_sources.get(placed or "", placed), files, moved
        )
        if source is not None:
            flags = normalise_command(
                entry.split_words(),
                place,
                _response_files(place, graph),
                exists=files.__contains__,
            )
            dropped.update(dict.fromkeys(flags.dropped_paths))
            aside.update(dict.fromkeys(flags.ignored_flags))
            command = _command(source, flags, graph, origin)
            key = (command.file, command.arguments, command.dialect)
            commands[key] = _for_more_archs(
                commands.get(key, command), command.offload_archs
            )
    if entries and not commands:
        raise _another_tree(entries, graph)
    return FoundCommands(
        commands=tuple(commands.values()), log=_log(recorded_root, dropped, aside)
    )


def _here(
    path: str | None, files: frozenset[str], moved: Mapping[str, str | None]
) -> str | None:
    """Return the file that a path means: an archive may keep whole folders elsewhere than their
    build looks.
    """
    if path is None or path in files:
        return path
    return moved.get(_ending(path))


def _by_ending(graph: IncludeGraph) -> Mapping[str, str | None]:
    """Map the ends of sources' paths, three words long, to the file that alone ends so."""
    found: dict[str, str | None] = {}
    for path in graph.scans:
        if get_suffix(path) in DEVICE_SOURCE_SUFFIXES and path.count("/") >= _TOLD_BY:
            ending = _ending(path)
            found[ending] = None if ending in found else path
    return found


def _ending(path: str) -> str:
    return "/".join(path.split("/")[-_TOLD_BY:])


def _log(prefix: str, dropped: Iterable[str], aside: Iterable[str]) -> str:
    set_aside = " ".join(word[:_LONGEST_NOTED] for word in islice(aside, _NOTED_ASIDE))
    return "\n".join(
        [
            f"root: {prefix}",
            *islice(dropped, _NOTED),
            *([f"set aside: {set_aside}"] if set_aside else []),
        ]
    )


def _command(
    source: str, flags: NormalisedFlags, graph: IncludeGraph, origin: FlagsOrigin
) -> CompileCommand:
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
    return replace(
        command,
        offload_archs=tuple(dict.fromkeys((*command.offload_archs, *named)))[
            : arch_flags.MAX_ARCHS
        ],
    )


def _dialect(
    source: str, flags: NormalisedFlags, graph: IncludeGraph
) -> Dialect | None:
    """The command's own word counts first, then its compiler's: nvcc hands host sources to the
    host compiler.
    """
    if flags.is_language_explicit or (
        flags.dialect is Dialect.CUDA and get_suffix(source) in HOST_SOURCE_SUFFIXES
    ):
        return flags.dialect if flags.is_language_explicit else None
    if flags.dialect is Dialect.CUDA and _names_hip_alone(source, graph):
        return Dialect.HIP  # a build that translates names runs as if for nvcc here
    return flags.dialect or _spoken(source, graph)


def _names_hip_alone(source: str, graph: IncludeGraph) -> bool:
    skimmed = graph.scans.get(source)
    return skimmed is not None and skimmed.cuda_name_count == 0 < skimmed.hip_name_count


def _spoken(source: str, graph: IncludeGraph) -> Dialect | None:
    """A host compiler was given this file, unless its name says otherwise."""
    return (
        None
        if get_suffix(source) in HOST_SOURCE_SUFFIXES
        else detect_dialect(source, graph)
    )


def _response_files(
    place: CheckoutPathMapper, graph: IncludeGraph
) -> Callable[[str], str | None]:
    def text(name: str) -> str | None:
        path = place(name)
        return graph.tree.read_text(path) if path in graph.tree.files else None

    return text


def _prefix(
    entries: Iterable[DatabaseEntry], files: frozenset[str], base: str, root: str
) -> str:
    """Find what the entries call the root: our own root, or the folder below which most of
    their files are ours.
    """
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


def _absolute(entry: DatabaseEntry, base: str, file: str) -> str:
    """Return where a file of an entry is on the machine of that database; a drive's letter is a
    folder.
    """
    directory, path = (
        (map(_slashed, (entry.directory, file)))
        if entry.is_windows()
        else (entry.directory, file)
    )
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


def _another_tree(entries: Sequence[DatabaseEntry], graph: IncludeGraph) -> BadDatabase:
    seen = posixpath.join(entries[0].directory, entries[0].file)
    return BadDatabase(
        f"none of the {len(entries)} entries (the first is {seen[:200]}) is a file of {graph.tree.root.name}: "
        "this database was made for another tree; export one here",
        code="database-for-another-tree",
    )
