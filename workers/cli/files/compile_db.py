"""Command `compile-db`: print the compile database of a project and where it comes from."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.exit_codes import DONE
from workers.cli.files.compile_db_report import (
    print_explanation,
    print_strategies,
    summarise_database,
    to_json_value,
)
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.builds.database.compile_database import Survey
    from crawler.builds.database.explanation import Explanation
    from crawler.model import CompileCommand

_DATABASE_NAME: Final = "compile_commands.json"


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
    """Print a compile_commands.json of a project.

    It has the CUDA and HIP files, for clangd, clang-tidy and clang itself.

    Every build system that it has is asked how it compiles them; whatever runs code of the
    project runs in the sandbox,
    and the folder itself is not written to. Headers have the command of a unit that includes
    them.
    """
    strategies = tuple(strategy or ())
    survey = _survey_folder(folder, strategies)
    path = _path_in_project(folder, file) if file else ""
    if explain and not path:
        print_strategies(survey, as_json)
        return DONE

    explanation = _explain_file(survey, path, strategies)
    if explain and explanation:
        print_explanation(explanation, as_json)
        return DONE

    commands = _list_commands(survey, explanation)
    if as_json:
        for command in commands:
            print_json(to_json_value(command))
        return DONE

    _export_commands(survey, commands, output, context_settings(context).home)
    print_note(summarise_database(survey.database))
    return DONE


def _survey_folder(folder: Path, strategies: tuple[str, ...]) -> Survey:
    from crawler.builds.database.compile_database import survey_checkout
    from crawler.errors import NoKernels

    survey = survey_checkout(folder, strategies=strategies)
    if not survey.database.commands:
        raise NoKernels(
            "the kernels here stand in strings only, which no compile command tells of: "
            "crawl the folder"
        )
    return survey


def _explain_file(
    survey: Survey, path: str, strategies: tuple[str, ...]
) -> Explanation | None:
    """Return where the command of a file is from, `None` without a file; raises the error of a
    build system that was asked for and gave nothing.
    """
    from crawler.builds.database.explanation import explain_command
    from crawler.builds.database.strategy_outcomes import find_strategy_error

    strategy_error = find_strategy_error(survey.outcomes, strategies)
    if strategy_error is not None:
        raise strategy_error

    if not path:
        return None
    return explain_command(survey, path, strategies=strategies)


def _list_commands(
    survey: Survey, explanation: Explanation | None
) -> list[CompileCommand]:
    """Return all commands, or those of one file, other configurations behind the first."""
    database = survey.database
    if explanation is not None:
        path = explanation.command.file
        alternatives = [
            command for command in database.alternatives if command.file == path
        ]
        return [explanation.command, *alternatives]

    # an editor cannot open what only a build writes, e.g. the output of a template
    generated_paths = {file.path for file in database.generated}
    commands = [
        command for command in database.entries if command.file not in generated_paths
    ]
    return sorted(commands, key=lambda command: command.file)


def _path_in_project(folder: Path, file: Path) -> str:
    """Return the path of a file below `folder`, given from the working folder or from there."""
    root = folder.resolve()
    for candidate in (file, folder / file):
        if not candidate.exists():
            continue
        resolved = candidate.resolve()
        if resolved.is_relative_to(root):
            return resolved.relative_to(root).as_posix()
    return file.as_posix()


def _export_commands(
    survey: Survey,
    commands: Iterable[CompileCommand],
    output: Path | None,
    home: Path,
) -> None:
    from crawler.builds.database.editor_database import make_editor_entry

    overlay = _write_overlay(home)
    lines = []
    for command in commands:
        entry = make_editor_entry(survey.graph, command, overlay)
        lines.append(f"  {json.dumps(entry)}")
    text = "[\n" + ",\n".join(lines) + "\n]"

    if output is None:
        print_line(text)
        return
    target = output / _DATABASE_NAME if output.is_dir() else output
    _write_atomically(target, f"{text}\n")
    print_note(escape_line(f"{len(lines)} entries in {target}"))


def _write_overlay(home: Path) -> Path:
    """Write the list of our headers' many names, which the entries point to.

    It is named by its content: it holds paths of this installation, and names of libraries that
    are installed here, so that of two installations on one home each needs its own.
    """
    from crawler.headers.overlay import render_overlay

    text = render_overlay()
    digest = hashlib.sha256(text.encode()).hexdigest()
    path = home / "headers" / f"{digest[:16]}.yaml"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, text)
    return path


def _write_atomically(path: Path, text: str) -> None:
    """Show a file only when all of it is there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with open(handle, "w", encoding="utf-8") as stream:  # noqa: PTH123
            stream.write(text)
        # mkstemp lets nobody but the owner read
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
