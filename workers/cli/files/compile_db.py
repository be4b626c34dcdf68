"""Command `compile-db`: print the compile database of a project and where it comes from."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import (
    escape_line,
    escape_lines,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.builds.database.compile_database import Survey
    from crawler.builds.database.explanation import Explanation
    from crawler.model import CompileCommand, CompileDatabase

_NAME: Final = "compile_commands.json"
_TAIL: Final = 12


def compile_db(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A project.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Only this file of it.")
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Ask this build system only; may be given several times.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the database there (a folder: under its usual name).",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Say where the entry of FILE is from; without FILE, what each said.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Print a compile_commands.json of a project's CUDA and HIP files, for clangd, clang-tidy
    and clang itself.

    Every build system that it has is asked how it compiles them; whatever runs code of the
    project runs in the sandbox,
    and the folder itself is not written to. Headers have the command of a unit that includes
    them.
    """
    from crawler.builds.database.compile_database import survey_checkout
    from crawler.builds.database.strategy_outcomes import find_strategy_error
    from crawler.errors import NoKernels

    asked = tuple(strategy or ())
    found = survey_checkout(folder, strategies=asked)
    if not found.database.commands:
        raise NoKernels(
            "the kernels here stand in strings only, which no compile command tells of: crawl the folder"
        )
    path = _relative(folder, file) if file else ""
    if explain and not path:
        _say_strategies(found, as_json)
        return DONE
    nothing = find_strategy_error(found.outcomes, asked)
    if nothing is not None:
        raise nothing
    explanation = _explanation(found, path, asked) if path else None
    if explain and explanation:
        _say_explanation(explanation, as_json)
        return DONE
    commands = _entries(found, explanation)
    if as_json:
        for command in commands:
            print_json(_plain(command))
    else:
        _export(found, commands, output, context_settings(context).home)
        print_note(_summary(found.database))
    return DONE


def _entries(found: Survey, explanation: Explanation | None) -> list[CompileCommand]:
    """Return all commands, or those of one file, other configurations behind the first."""
    if explanation is None:
        written = {file.path for file in found.database.generated}
        here = (
            command for command in found.database.entries if command.file not in written
        )
        return sorted(here, key=lambda command: command.file)
    path = explanation.command.file
    return [
        explanation.command,
        *(command for command in found.database.alternatives if command.file == path),
    ]


def _explanation(found: Survey, path: str, asked: tuple[str, ...]) -> Explanation:
    from crawler.builds.database.explanation import explain_command

    return explain_command(found, path, strategies=asked)


def _plain(value: object) -> Any:
    from crawler.codec import to_builtins

    return to_builtins(value)


def _relative(folder: Path, file: Path) -> str:
    root = folder.resolve()
    for candidate in (file, folder / file):
        if candidate.exists() and candidate.resolve().is_relative_to(root):
            return candidate.resolve().relative_to(root).as_posix()
    return file.as_posix()


def _export(
    found: Survey, commands: Iterable[CompileCommand], output: Path | None, home: Path
) -> None:
    from crawler.builds.database.editor_database import make_editor_entry

    overlay = _overlay(home)
    lines = [
        f"  {json.dumps(make_editor_entry(found.graph, command, overlay))}"
        for command in commands
    ]
    text = "[\n" + ",\n".join(lines) + "\n]"
    if output is None:
        print_line(text)
        return
    target = output / _NAME if output.is_dir() else output
    _write(target, f"{text}\n")
    print_note(escape_line(f"{len(lines)} entries in {target}"))


def _overlay(home: Path) -> Path:
    """Lay down the list of our headers' many names, which the entries point to; one for each
    version of them.
    """
    from crawler import headers
    from crawler.headers.overlay import render_overlay

    path = home / "headers" / f"{headers.headers_digest()[:16]}.yaml"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, render_overlay())
    return path


def _write(path: Path, text: str) -> None:
    """Show a file only when all of it is there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as written:  # noqa: PTH123
            written.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _say_explanation(explanation: Explanation, as_json: bool) -> None:
    if as_json:
        rest = _plain(explanation)
        print_json({**rest.pop("command"), **rest})
        return
    for line in format_table(_facts(explanation)):
        print_line(line)
    print_line()
    head = ("strategy", "origin", "flags", "outcome")
    rows = [
        (one.strategy, one.origin.value, one.flags, one.outcome)
        for one in explanation.candidates
    ]
    for line in format_table([head, *rows]):
        print_line(line)


def _facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    command = explanation.command
    yield "file", command.file
    yield "dialect", command.dialect.value if command.dialect else "host"
    yield (
        "origin",
        f"{command.origin.value}, by {command.strategy or 'what its includes and build files say'}",
    )
    if command.borrowed_from:
        yield "borrowed from", command.borrowed_from
        yield "which includes", " > ".join(explanation.chain)
    if command.offload_archs:
        yield "offload archs", " ".join(command.offload_archs)
    yield "directory", command.directory
    yield from (("argument", argument) for argument in command.arguments)


def _say_strategies(found: Survey, as_json: bool) -> None:
    reports = [answer.report for answer in found.outcomes]
    if as_json:
        for report in reports:
            print_json(_plain(report))
        print_json(
            {
                "strategy": "metadata",
                "entries": 0,
                "environment": _plain(found.database.environment),
            }
        )
        return
    for line in format_table(
        [
            ("strategy", "entries", "code"),
            *((one.strategy, one.entries, one.code) for one in reports),
        ]
    ):
        print_line(line)
    for report in reports:
        print_line()
        print_line(
            escape_line(
                f"{report.strategy}: {report.message or f'{report.entries} entries'}"
            )
        )
        tail = [line for line in escape_lines(report.log).split("\n") if line.strip()][
            -_TAIL:
        ]
        print_line("\n".join(f"    {line}" for line in tail))
    _say_environment(found.database)
    print_note(_summary(found.database))


def _say_environment(database: CompileDatabase) -> None:
    from crawler.builds.build_files.project_environment import describe_environment
    from crawler.toolchains import discovery

    rows = [
        (name, escape_line(text))
        for name, text in describe_environment(
            database.environment, discovery.read_tool_versions()
        )
    ]
    for line in ["", *format_table(rows)] if rows else []:
        print_line(line)


def _summary(database: CompileDatabase) -> str:
    from crawler.model import FlagsOrigin

    told = f"{database.covered} of {database.relevant} files with device code have flags that a build told"
    made_up = sum(
        command.origin is FlagsOrigin.SYNTHESISED for command in database.commands
    )
    more = (
        f", {len(database.alternatives)} entries are further configurations"
        if database.alternatives
        else ""
    )
    why = (
        f", {made_up} entries are made up from includes (`--explain` says why)"
        if made_up
        else ""
    )
    written = (
        f", {len(database.generated)} files that the build writes are left out"
        if database.generated
        else ""
    )
    return f"{told}{more}{why}{written}"
