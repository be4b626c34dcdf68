"""kernelset compile-db: how the files of a project are compiled, and who said so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Json
from workers.cli.terminal import note, safe, say, say_json, table

if TYPE_CHECKING:
    from crawler.model import CompileCommand, CompileDatabase


def compile_db(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A project.")],
    explain: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Print the command of this file alone, and where it is from.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Learn how a project's CUDA and HIP files are compiled, by every build system that it has.

    Whatever runs code of the project runs in the sandbox; the folder itself is not written to.
    """
    from crawler.builds.database import build

    database = build(folder)
    if explain is not None:
        return _explain(database, _relative(folder, explain), as_json)
    if as_json:
        for command in database.commands:
            say_json(_described(command))
    else:
        for line in table(_overview(database)):
            say(line)
    return DONE


def _relative(folder: Path, file: Path) -> str:
    for candidate in (file, folder / file):
        if candidate.exists() and candidate.resolve().is_relative_to(folder.resolve()):
            return candidate.resolve().relative_to(folder.resolve()).as_posix()
    return file.as_posix()


def _explain(database: CompileDatabase, path: str, as_json: bool) -> int:
    command = next((command for command in database.commands if command.file == path), None)
    if command is None:
        note(safe(f"{path} has no command: it is not below the folder, or holds no CUDA or HIP code"))
        return NOTHING
    if as_json:
        say_json(_described(command))
        return DONE
    for line in table(_rows(command)):
        say(line)
    return DONE


def _described(command: CompileCommand) -> object:
    from crawler.codec import plain

    return plain(command)


def _rows(command: CompileCommand) -> Iterator[tuple[str, str]]:
    yield "file", command.file
    yield "dialect", command.dialect.value if command.dialect else "host"
    yield "origin", command.origin.value
    if command.borrowed_from:
        yield "borrowed from", command.borrowed_from
    yield "directory", command.directory
    yield from (("argument", argument) for argument in command.arguments)


def _overview(database: CompileDatabase) -> Iterator[tuple[str, str]]:
    for report in database.strategies:
        yield report.strategy, f"{report.entries} entries {report.code} {report.message}".strip()
    origins = Counter(command.origin.value for command in database.commands)
    for origin, number in sorted(origins.items()):
        yield origin, f"{number} files"
    yield "relevant files", str(database.relevant)
    yield "told by a build", str(database.covered)
