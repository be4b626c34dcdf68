"""Command `doctor`: check what this machine has and what will not work without the rest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crawler.errors import Misconfigured
from workers.cli.exit_codes import DONE, USAGE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, format_table, print_json, print_line

if TYPE_CHECKING:
    from workers.config.settings import Settings

_MIN_FREE_BYTES: Final = 2 << 30
_PROGRAMS: Final = {
    "git": "`git+` locators",
    "cmake": "compile databases of CMake projects",
}


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


FixOption = Annotated[
    bool,
    typer.Option("--fix", help="Print the command that installs missing packages."),
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="With --fix: run it, then look again.")
]


def doctor(
    context: typer.Context,
    without: WithoutOption = None,
    fix: FixOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> int:
    """Look at this machine, and say what is missing.

    Tools and their versions, the sandbox, where state is kept.
    """
    if yes and not fix:
        raise Misconfigured("--yes runs what --fix prints: give both")

    if fix:
        _install_packages(is_confirmed=yes)
    settings = context_settings(context)
    findings = _excuse_findings(_look_at_machine(settings), without or [])
    _show_findings(findings, as_json=as_json)
    is_incomplete = any(finding.state == "missing" for finding in findings)
    return USAGE if is_incomplete else DONE


def _install_packages(*, is_confirmed: bool) -> None:
    """Say what would be installed, or install it; on standard error, apart from the findings."""
    from workers.cli.operations import system_packages

    if is_confirmed:
        said = system_packages.install_packages()
    else:
        said = system_packages.describe_installation()
    typer.echo(said or "all system packages are there", err=True)


def _look_at_machine(settings: Settings) -> list[Finding]:
    return [
        *_check_tools(),
        *_check_programs(),
        _check_sandbox(),
        _check_storage(settings),
        _check_disk(settings),
        _count_cores(),
    ]


def _show_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    from crawler.codec import to_builtins

    if not as_json:
        _print_findings(findings)
        return
    for finding in findings:
        print_json(to_builtins(finding))


def _print_findings(findings: Sequence[Finding]) -> None:
    rows = [("", "what", "found", "needed for", "remedy")]
    for finding in findings:
        rows.append(
            (
                finding.state,
                finding.name,
                finding.found,
                finding.needed_for,
                finding.remedy,
            )
        )
    for line in format_table(rows):
        print_line(line)


def _excuse_findings(
    findings: Sequence[Finding], names: Sequence[str]
) -> list[Finding]:
    """Return the findings, those with one of the names `absent` where they were `missing`."""
    unknown_names = sorted(set(names) - {finding.name for finding in findings})
    if unknown_names:
        all_names = ", ".join(finding.name for finding in findings)
        raise Misconfigured(
            f"nothing is called {escape_line(unknown_names[0])} here: give one of {all_names}",
            code="bad-finding",
        )

    excused = []
    for finding in findings:
        if finding.state == "missing" and finding.name in names:
            finding = replace(finding, state="absent")
        excused.append(finding)
    return excused


def _check_tools() -> Iterator[Finding]:
    from crawler.toolchains import components
    from crawler.validate.devices import doctor_report

    for component in (*components.list_components(), *doctor_report.describe_gpus()):
        # nothing needs what has no remedy
        if component.found:
            state, remedy = "ok", ""
        else:
            state = "missing" if component.remedy else "absent"
            remedy = component.remedy
        yield Finding(
            name=component.name,
            state=state,
            found=component.found,
            needed_for=component.needed_for,
            remedy=remedy,
        )


def _check_programs() -> Iterator[Finding]:
    for name, purpose in _PROGRAMS.items():
        path = shutil.which(name) or ""
        yield Finding(
            name=name,
            state="ok" if path else "missing",
            found=path,
            needed_for=purpose,
            remedy="" if path else "run `deploy/bootstrap`",
        )


def _check_sandbox() -> Finding:
    from crawler import sandbox

    self_test = sandbox.run_self_test()
    name = sandbox.find_backend().name
    purpose = "reading, compiling and running what a stranger wrote"
    if self_test.works:
        return Finding(
            name="sandbox",
            state="ok",
            found=f"{name} isolates, bounded by {self_test.limits}{_without()}",
            needed_for=purpose,
        )
    return Finding(
        name="sandbox",
        state="missing",
        found=self_test.reason,
        needed_for=purpose,
        remedy="allow unprivileged user namespaces, run as root with CAP_SYS_ADMIN, "
        "or set KERNELSET_SANDBOX=landlock",
    )


def _without() -> str:
    from crawler import sandbox

    reason = sandbox.explain_missing_builds()
    return f"; no builds of projects, since {reason}" if reason else ""


def _check_storage(settings: Settings) -> Finding:
    from crawler.errors import CrawlError
    from workers.config.configured_storage import open_configured_storage

    try:
        with open_configured_storage(settings):
            home = str(settings.home)
    except (CrawlError, OSError) as error:
        return Finding(
            name="storage",
            state="missing",
            found=str(error),
            needed_for="everything",
            remedy="see the message",
        )
    return Finding(name="storage", state="ok", found=home, needed_for="everything")


def _check_disk(settings: Settings) -> Finding:
    # the home itself may not be there yet
    folders = (settings.home, *settings.home.parents)
    folder = next(path for path in folders if path.exists())

    free_bytes = shutil.disk_usage(folder).free
    has_room = free_bytes > _MIN_FREE_BYTES
    remedy = f"keep {_MIN_FREE_BYTES >> 30} GiB free, or set KERNELSET_HOME elsewhere"
    return Finding(
        name="disk",
        state="ok" if has_room else "missing",
        found=f"{free_bytes >> 20} MiB free in {folder}",
        needed_for="sources, units and objects",
        remedy="" if has_room else remedy,
    )


def _count_cores() -> Finding:
    return Finding(
        name="cores",
        state="ok",
        found=str(os.cpu_count() or 1),
        needed_for="worker processes of `crawl`",
    )
