"""What `compile-db` prints about the origin of compile commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

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
    from crawler.model import CompileDatabase, StrategyReport

_LOG_LINES: Final = 12


def print_explanation(explanation: Explanation, as_json: bool) -> None:
    """Print the command of a file, and every command that was found for its unit."""
    if as_json:
        values = to_json_value(explanation)
        command = values.pop("command")
        print_json({**command, **values})
        return

    for line in format_table(_iter_command_facts(explanation)):
        print_line(line)
    print_line()

    rows: list[tuple[object, ...]] = [("strategy", "origin", "flags", "outcome")]
    for candidate in explanation.candidates:
        origin = candidate.origin.value
        rows.append((candidate.strategy, origin, candidate.flags, candidate.outcome))
    for line in format_table(rows):
        print_line(line)


def print_strategies(survey: Survey, as_json: bool) -> None:
    """Print what each build system answered, with the end of its log."""
    reports = [outcome.report for outcome in survey.outcomes]
    database = survey.database
    if as_json:
        for report in reports:
            print_json(to_json_value(report))
        # what the metadata of the project says has no report of its own
        print_json(
            {
                "strategy": "metadata",
                "entries": 0,
                "environment": to_json_value(database.environment),
            }
        )
        return

    rows: list[tuple[object, ...]] = [("strategy", "entries", "code")]
    for report in reports:
        rows.append((report.strategy, report.entries, report.code))
    for line in format_table(rows):
        print_line(line)

    for report in reports:
        _print_report(report)
    _print_environment(database)
    print_note(summarise_database(database))


def summarise_database(database: CompileDatabase) -> str:
    """Return in one line how many files have a build's flags, and what was made up or left out."""
    from crawler.model import FlagsOrigin

    summary = (
        f"{database.covered} of {database.relevant} files with device code "
        "have flags that a build told"
    )
    if database.alternatives:
        summary += f", {len(database.alternatives)} entries are further configurations"

    synthesised_count = sum(
        command.origin is FlagsOrigin.SYNTHESISED for command in database.commands
    )
    if synthesised_count:
        summary += (
            f", {synthesised_count} entries are made up from includes "
            "(`--explain` says why)"
        )
    if database.generated:
        summary += (
            f", {len(database.generated)} files that the build writes are left out"
        )
    return summary


def to_json_value(value: object) -> Any:
    """Return `value` as what JSON can hold."""
    from crawler.codec import to_builtins

    return to_builtins(value)


def _iter_command_facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    command = explanation.command
    yield "file", command.file
    yield "dialect", command.dialect.value if command.dialect else "host"

    strategy = command.strategy or "what its includes and build files say"
    yield "origin", f"{command.origin.value}, by {strategy}"
    if command.borrowed_from:
        yield "borrowed from", command.borrowed_from
        yield "which includes", " > ".join(explanation.chain)

    if command.offload_archs:
        yield "offload archs", " ".join(command.offload_archs)
    yield "directory", command.directory
    for argument in command.arguments:
        yield "argument", argument


def _print_report(report: StrategyReport) -> None:
    message = report.message or f"{report.entries} entries"
    log_lines = escape_lines(report.log).split("\n")
    last_lines = [line for line in log_lines if line.strip()][-_LOG_LINES:]

    print_line()
    print_line(escape_line(f"{report.strategy}: {message}"))
    print_line("\n".join(f"    {line}" for line in last_lines))


def _print_environment(database: CompileDatabase) -> None:
    from crawler.builds.build_files.project_environment import describe_environment
    from crawler.toolchains import discovery

    tool_versions = discovery.read_tool_versions()
    descriptions = describe_environment(database.environment, tool_versions)
    rows = [(name, escape_line(text)) for name, text in descriptions]
    if not rows:
        return

    print_line()
    for line in format_table(rows):
        print_line(line)
