"""Read entries of a `compile_commands.json`, and translate them into commands of the checkout."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from crawler.builds.commands import arch_flags
from crawler.builds.commands.checkout_paths import (
    CheckoutPathMapper,
    SourceFinder,
    guess_recorded_root,
    is_windows_path,
    slash_path,
)
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.commands.normalise import NormalisedFlags, normalise_command
from crawler.builds.commands.response_files import (
    ResponseFileReader,
    split_command_line,
    split_response_file,
)
from crawler.builds.interface import FoundCommands
from crawler.checkout.generated_files import GeneratedPathMapper
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import HOST_SOURCE_SUFFIXES, get_suffix
from crawler.checkout.untrusted_files import MAX_UNTRUSTED_BYTES
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, Dialect, FlagsOrigin

DATABASE_NAME: Final = "compile_commands.json"
_MAX_LOGGED_PATHS: Final = 50
_MAX_LOGGED_FLAGS: Final = 200
_MAX_LOGGED_CHARS: Final = 200


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
        if self.is_windows():
            # quoted as nvcc quotes, a backslash stays in a path: -IC:\src\inc
            return list(split_response_file(self.command, for_nvcc=True))

        return split_command_line(self.command)

    def is_windows(self) -> bool:
        """Tell whether its paths begin with the letter of a drive."""
        return is_windows_path(self.directory) or is_windows_path(self.file)


def read_entries(path: Path) -> list[DatabaseEntry]:
    """Read a compile database. Raises `BadDatabase`: `malformed-database` or `empty-database`."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_UNTRUSTED_BYTES + 1)
    except OSError as error:
        raise BadDatabase(
            f"{path} cannot be read: {error.strerror}", code="malformed-database"
        ) from error

    return decode_entries(content, path.name)


def decode_entries(content: bytes, name: str = DATABASE_NAME) -> list[DatabaseEntry]:
    """Decode a compile database's content; raises as `read_entries` does."""
    try:
        entries = msgspec.json.decode(content, type=list[DatabaseEntry])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        message = f"{name} is no compile database ({error}): export it again"
        raise BadDatabase(message, code="malformed-database") from error

    if not entries:
        # ccache and its like call no compiler that could be recorded
        message = (
            f"{name} is empty: was it made by a build that had all its objects cached? "
            "Build from clean"
        )

        raise BadDatabase(message, code="empty-database")

    return entries


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

    `base_folder` is the folder that relative directories mean. `recorded_root` is what the
    entries call the checkout's root, guessed where it is empty. `generated_paths` says where
    `graph` has the files that the build has written elsewhere. Raises `BadDatabase`
    (`database-for-another-tree`) where no entry is of this checkout.
    """
    if not recorded_root:
        recorded_root = guess_recorded_root(
            {_make_absolute(entry, base_folder, entry.file) for entry in entries},
            frozenset(graph.tree.files),
            str(graph.tree.root),
        )

    translator = _EntryTranslator(
        graph,
        base_folder=base_folder,
        origin=origin,
        recorded_root=recorded_root,
        generated_paths=generated_paths or GeneratedPathMapper(),
    )

    translation = translator.translate(entries)
    if entries and not translation.commands:
        raise _make_other_tree_error(entries, graph)

    return FoundCommands(
        commands=tuple(translation.commands.values()),
        log=_format_log(recorded_root, translation),
    )


@dataclass(slots=True)
class _Translation:
    """Commands by what tells them apart, and what no command has."""

    commands: dict[tuple[str, tuple[str, ...], Dialect | None], CompileCommand] = field(
        default_factory=dict
    )
    dropped_paths: dict[str, None] = field(default_factory=dict)
    ignored_flags: dict[str, None] = field(default_factory=dict)

    def add(self, command: CompileCommand) -> None:
        # a build that compiles a file for one arch at a time has one command for all of them
        key = (command.file, command.arguments, command.dialect)
        previous = self.commands.get(key, command)

        archs = dict.fromkeys(previous.offload_archs)
        archs.update(dict.fromkeys(command.offload_archs))
        first_archs = tuple(archs)[: arch_flags.MAX_ARCHS]

        self.commands[key] = replace(previous, offload_archs=first_archs)


class _EntryTranslator:
    def __init__(
        self,
        graph: IncludeGraph,
        *,
        base_folder: str,
        origin: FlagsOrigin,
        recorded_root: str,
        generated_paths: GeneratedPathMapper,
    ) -> None:
        self._graph = graph
        self._files = frozenset(graph.tree.files)
        self._sources = SourceFinder(graph)
        self._base_folder = base_folder
        self._origin = origin
        self._recorded_root = recorded_root
        self._generated_paths = generated_paths

    def translate(self, entries: Sequence[DatabaseEntry]) -> _Translation:
        translation = _Translation()
        for entry in entries:
            map_path = self._make_path_mapper(entry)
            source = self._find_source(map_path(entry.file))
            # a source of another project, or one that the build generated and removed
            if source is None:
                continue

            flags = normalise_command(
                entry.split_words(),
                map_path,
                self._make_file_reader(map_path),
                exists=self._files.__contains__,
            )

            translation.add(self._make_command(source, flags))
            translation.dropped_paths.update(dict.fromkeys(flags.dropped_paths))
            translation.ignored_flags.update(dict.fromkeys(flags.ignored_flags))

        return translation

    def _make_path_mapper(self, entry: DatabaseEntry) -> CheckoutPathMapper:
        return CheckoutPathMapper(
            self._recorded_root,
            _make_absolute(entry, self._base_folder, "."),
            is_windows=entry.is_windows(),
            generated_paths=self._generated_paths,
        )

    def _find_source(self, path: str | None) -> str | None:
        # a generated copy of a source stands for the source itself
        original = self._generated_paths.copied_sources.get(path or "", path)
        return self._sources.find_source(original)

    def _make_file_reader(self, map_path: CheckoutPathMapper) -> ResponseFileReader:
        def read_file(name: str) -> str | None:
            path = map_path(name)
            if path is None or path not in self._files:
                return None

            return self._graph.tree.read_text(path)

        return read_file

    def _make_command(self, source: str, flags: NormalisedFlags) -> CompileCommand:
        return CompileCommand(
            directory=".",
            file=source,
            arguments=tuple(flags.arguments),
            dialect=_choose_dialect(source, flags, self._graph),
            origin=self._origin,
            offload_archs=flags.offload_archs,
        )


def _choose_dialect(
    source: str, flags: NormalisedFlags, graph: IncludeGraph
) -> Dialect | None:
    """Return a command's dialect: by its `-x`, else by its compiler, else by the content."""
    if flags.is_language_explicit:
        return flags.dialect

    # the compiler is told by its name, the language by the file's
    is_host_source = get_suffix(source) in HOST_SOURCE_SUFFIXES
    if flags.dialect is Dialect.CUDA:
        # nvcc hands host sources to the host compiler
        if is_host_source:
            return None

        # a build that translates names runs as if for nvcc here
        return Dialect.HIP if _names_hip_alone(source, graph) else Dialect.CUDA

    if flags.dialect is not None:
        return flags.dialect

    # a host compiler was given this file, unless its name says otherwise
    return None if is_host_source else detect_dialect(source, graph)


def _names_hip_alone(source: str, graph: IncludeGraph) -> bool:
    scan = graph.scans.get(source)
    return scan is not None and scan.cuda_name_count == 0 < scan.hip_name_count


def _make_absolute(entry: DatabaseEntry, base_folder: str, file: str) -> str:
    """Return where a file of an entry is on the machine that made the database."""
    directory = entry.directory
    if entry.is_windows():
        directory = slash_path(directory)
        file = slash_path(file)

    return posixpath.normpath(posixpath.join(base_folder, directory, file))


def _format_log(recorded_root: str, translation: _Translation) -> str:
    lines = [
        f"root: {recorded_root}",
        *islice(translation.dropped_paths, _MAX_LOGGED_PATHS),
    ]

    logged_flags = islice(translation.ignored_flags, _MAX_LOGGED_FLAGS)
    ignored_flags = " ".join(flag[:_MAX_LOGGED_CHARS] for flag in logged_flags)

    if ignored_flags:
        lines.append(f"set aside: {ignored_flags}")

    return "\n".join(lines)


def _make_other_tree_error(
    entries: Sequence[DatabaseEntry], graph: IncludeGraph
) -> BadDatabase:
    first_file = posixpath.join(entries[0].directory, entries[0].file)

    return BadDatabase(
        f"none of the {len(entries)} entries (the first is {first_file[:200]}) is a file of "
        f"{graph.tree.root.name}: this database was made for another tree; export one here",
        code="database-for-another-tree",
    )
