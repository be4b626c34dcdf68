"""Command `test`: run a project's own tests with its kernels on the CPU model."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, FAILED, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import (
    escape_line,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.validate.suites.instance_tests import InstanceTests
    from crawler.validate.suites.suite_report import SuiteReport
    from workers.config.settings import Settings


def run_tests(
    context: typer.Context,
    locator: Annotated[
        str,
        typer.Argument(
            metavar="LOCATOR",
            help="A project: its folder, an archive, github:OWNER/REPO, pypi:NAME[==VERSION], "
            "git+URL.",
        ),
    ],
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An interpreter with a CPU build of PyTorch, pytest and what the tests import.",
        ),
    ] = None,
    needed: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="LOCATOR",
            help="Another project that its tests import; may be given several times.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Run a project's own tests with its kernels on this CPU.

    A project that extends PyTorch has its extension modules compiled against a real one, and its
    tests run by pytest; any other one builds itself, with CMake or make, against compilers for
    this machine, and its tests are those of CTest, GoogleTest or `make check`. Both take
    minutes. The tests see a CUDA device whose memory is the host's. Each kernel that they
    launch is told with the tests that pass, whether one of them looks at its results, and
    what went wrong in its launches. Whatever runs code of the project runs in the sandbox.
    """
    report = _observe(locator, python, needed or [], context_settings(context))
    if as_json:
        print_json(_summarise(report))
    else:
        _print_report(report)

    if report.code:
        return NOTHING
    has_fault = any(kernel.fault or kernel.failing for kernel in report.kernels)
    return FAILED if has_fault else DONE


def _observe(
    locator: str, python: Path | None, needed: list[str], settings: Settings
) -> SuiteReport:
    import sys

    from crawler.checkout.source_tree import open_tree
    from crawler.validate.suites.interface import choose_suite_kind
    from crawler.validate.suites.suite_report import observe_suite
    from crawler.validate.suites.torch_environment import open_torch_environment
    from workers.local.project_folder import open_project

    with ExitStack() as projects:
        tree, *needed_trees = (
            open_tree(projects.enter_context(open_project(project, settings)))
            for project in (locator, *needed)
        )
        environment = None
        if choose_suite_kind(tree).needs_torch:
            environment = open_torch_environment(str(python or sys.executable))
        return observe_suite(tree, environment, print_note, needed=needed_trees)


def _summarise(report: SuiteReport) -> dict[str, object]:
    """Return a report as plain values, with the number of recorded launches in place of their
    memory.
    """
    kernels = [
        {**asdict(replace(kernel, recordings=())), "recordings": len(kernel.recordings)}
        for kernel in report.kernels
    ]
    return {**asdict(replace(report, kernels=())), "kernels": kernels}


def _print_report(report: SuiteReport) -> None:
    for name, reason in report.broken.items():
        print_line(f"not built: {escape_line(name)}: {escape_line(reason)}")

    if report.missing_modules:
        names = escape_line(", ".join(report.missing_modules))
        print_line(f"missing: {names}: install them beside PyTorch, and ask again")

    outcomes = ", ".join(
        f"{outcome} {count}" for outcome, count in sorted(report.outcomes.items())
    )
    print_line(f"tests: {outcomes or 'none'}; {report.launching} launch kernels")
    if report.code:
        print_line(f"{report.code}: {escape_line(report.message)}")
        return

    rows = [_make_row(kernel) for kernel in report.kernels]
    for line in format_table(rows):
        print_line(line)

    for failure in report.failures:
        print_line(f"failed: {escape_line(failure.name)}")
        print_line(f"  {escape_line(failure.message)}")


def _make_row(kernel: InstanceTests) -> tuple[str, str, str, str]:
    """Return where a kernel is, its arguments, its tests, and what is known of its results."""
    place = f"{kernel.place.path}:{kernel.place.line}"
    tests = f"{kernel.passing} pass"
    if kernel.failing:
        tests += f", {len(kernel.failing)} fail"

    knowledge = "no test looks at its results"
    if kernel.fault is not None:
        knowledge = f"{kernel.fault.code}: {kernel.fault.message}"
    elif kernel.checking_test:
        knowledge = f"checked by {kernel.checking_test}"

    return (
        escape_line(place),
        escape_line(kernel.arguments),
        tests,
        escape_line(knowledge),
    )
