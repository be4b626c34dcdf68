"""The command line; `main` is the one place that ends the process."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.errors import CrawlError

DONE, FAILED, USAGE, BUG, NOTHING, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main() -> None:
    """Run a command and exit: 0 done, 1 a task failed, 2 usage, 3 a bug, 4 nothing matched, 130
    interrupted.
    """
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = DONE
    if code == INTERRUPTED:
        sys.stderr.write("\ninterrupted: run the same command again to go on\n")
    _leave(code)


def _run() -> int:
    from typer import TyperException

    from crawler.errors import CrawlError

    try:
        return _called()
    except TyperException as error:
        return _usage(error)
    except CrawlError as error:
        return _explained(error)
    except Exception as error:
        return _reported(error)


def _called() -> int:
    from workers.cli.app import app

    result = app(prog_name="kernelset", standalone_mode=False)
    return result if isinstance(result, int) else DONE


def _usage(error: Exception) -> int:
    from workers.cli.terminal import escape_lines

    context = getattr(error, "ctx", None)
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    command = context.command_path if context else "kernelset"
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(text.rstrip() + "\n")
        return USAGE
    sys.stderr.write(f"error: {escape_lines(text)} See `{command} --help`.\n")
    return USAGE


def _explained(error: CrawlError) -> int:
    from crawler.errors import (
        BadDatabase,
        Misconfigured,
        NoBuildSystem,
        NoKernels,
        NotFound,
    )
    from workers.cli.terminal import escape_line, escape_lines

    sys.stderr.write(f"error: {escape_lines(str(error))} [{escape_line(error.code)}]\n")
    output = getattr(error, "output", "")
    if output:
        sys.stderr.write(escape_lines(output.strip()) + "\n")
    if isinstance(error, (NoKernels, NoBuildSystem)):
        return NOTHING
    return (
        USAGE if isinstance(error, (Misconfigured, NotFound, BadDatabase)) else FAILED
    )


def _reported(error: Exception) -> int:
    """Write down what happened, or say it where nothing can be written."""
    from workers.cli.terminal import escape_line
    from workers.execution.error_policy import decide_outcome

    decision = decide_outcome(error, attempt=1, attempts=1)
    if decision.stop:
        sys.stderr.write(f"error: {decision.message} [{decision.code}]\n")
        return USAGE
    if isinstance(error, OSError) and error.filename:
        sys.stderr.write(
            f"error: {escape_line(error.filename)}: {error.strerror}: see that it is there and may be used\n"
        )
        return USAGE
    try:
        path = _write_report(error)
    except OSError:
        traceback.print_exception(error)
        return BUG
    sys.stderr.write(
        f"error: this is a bug in Kernelset ({type(error).__name__}). Please report it with {path}\n"
    )
    return BUG


def _write_report(error: Exception) -> Path:
    import platform
    import tempfile
    from importlib.metadata import version

    handle, name = tempfile.mkstemp(prefix="kernelset-report-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
        report.write(
            f"kernelset {version('kernelset')}, Python {platform.python_version()}, {platform.platform()}\n"
        )
        report.write(f"command: {' '.join(sys.argv)}\n\n")
        report.write("".join(traceback.format_exception(error)))
    return Path(name)


def _leave(code: int) -> None:
    # an interpreter that flushes a closed pipe at its end would complain once more
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)
