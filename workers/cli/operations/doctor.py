"""Command `doctor`: check what this machine has and what will not work without the rest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crawler.errors import Misconfigured
from workers.cli.exit_codes import DONE, USAGE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, format_table, print_json, print_line

if TYPE_CHECKING:
    from workers.config.settings import Settings

_ROOM: Final = 2 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: str
    """`ok`, `missing` (something will not work) or `absent` (nothing needs it)."""
    found: str
    needed_for: str
    remedy: str = ""


WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--without", help="What this machine may lack, by its name.", metavar="NAME"
    ),
]


def doctor(
    context: typer.Context, without: WithoutOption = None, as_json: JsonOption = False
) -> int:
    """Look at this machine: tools and their versions, the sandbox, where state is kept."""
    from crawler.codec import to_builtins

    settings = context_settings(context)
    looked = [
        *_tools(),
        *_programs(),
        _sandbox(),
        _storage(settings),
        _room(settings),
        _cores(),
    ]
    findings = _sparing(looked, without or [])
    if as_json:
        for finding in findings:
            print_json(to_builtins(finding))
    else:
        for line in format_table(
            [("", "what", "found", "needed for", "remedy"), *map(_cells, findings)]
        ):
            print_line(line)
    return USAGE if any(finding.state == "missing" for finding in findings) else DONE


def _sparing(findings: Sequence[Finding], names: Sequence[str]) -> list[Finding]:
    unknown = sorted(set(names) - {finding.name for finding in findings})
    if unknown:
        known = ", ".join(finding.name for finding in findings)
        raise Misconfigured(
            f"nothing is called {escape_line(unknown[0])} here: give one of {known}",
            code="bad-finding",
        )
    return [
        replace(each, state="absent")
        if each.state == "missing" and each.name in names
        else each
        for each in findings
    ]


def _cells(finding: Finding) -> tuple[str, ...]:
    return (
        finding.state,
        finding.name,
        finding.found,
        finding.needed_for,
        finding.remedy,
    )


def _tools() -> Iterator[Finding]:
    from crawler.toolchains import components
    from crawler.validate.devices import doctor_report

    for component in (*components.list_components(), *doctor_report.describe_gpus()):
        missing = "missing" if component.remedy else "absent"
        yield Finding(
            name=component.name,
            state="ok" if component.found else missing,
            found=component.found,
            needed_for=component.needed_for,
            remedy="" if component.found else component.remedy,
        )


def _programs() -> Iterator[Finding]:
    for name, purpose in (
        ("git", "`git+` locators"),
        ("cmake", "compile databases of CMake projects"),
    ):
        path = shutil.which(name) or ""
        yield Finding(
            name=name,
            state="ok" if path else "missing",
            found=path,
            needed_for=purpose,
            remedy="" if path else "run `deploy/bootstrap`",
        )


def _sandbox() -> Finding:
    from crawler import sandbox

    tested = sandbox.run_self_test()
    return Finding(
        name="sandbox",
        state="ok" if tested.works else "missing",
        found=f"it isolates, bounded by {tested.limits}"
        if tested.works
        else tested.reason,
        needed_for="running a project's own build; parsing and compiling go on under plain limits",
        remedy=""
        if tested.works
        else "allow unprivileged user namespaces, or run as root with CAP_SYS_ADMIN",
    )


def _storage(settings: Settings) -> Finding:
    from workers.config.configured_storage import open_configured_storage

    def opened() -> str:
        with open_configured_storage(settings):
            return str(settings.home)

    return _tried("storage", opened, "everything")


def _room(settings: Settings) -> Finding:
    folder = next(
        path for path in (settings.home, *settings.home.parents) if path.exists()
    )
    free = shutil.disk_usage(folder).free
    return Finding(
        name="disk",
        state="ok" if free > _ROOM else "missing",
        found=f"{free >> 20} MiB free in {folder}",
        needed_for="sources, units and objects",
        remedy=""
        if free > _ROOM
        else f"keep {_ROOM >> 30} GiB free, or set KERNELSET_HOME elsewhere",
    )


def _cores() -> Finding:
    return Finding(
        name="cores",
        state="ok",
        found=str(os.cpu_count() or 1),
        needed_for="worker processes of `crawl`",
    )


def _tried(name: str, look: Callable[[], str], purpose: str) -> Finding:
    from crawler.errors import CrawlError

    try:
        return Finding(name=name, state="ok", found=look(), needed_for=purpose)
    except (CrawlError, OSError) as error:
        return Finding(
            name=name,
            state="missing",
            found=str(error),
            needed_for=purpose,
            remedy="see the message",
        )
