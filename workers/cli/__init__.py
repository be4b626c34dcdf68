"""The command line; `main` is the one place that ends the process."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workers.cli.exit_codes import BUG, DONE, FAILED, INTERRUPTED, NOTHING, USAGE

if TYPE_CHECKING:
    from crawler.errors import CrawlError

# Functions import what they need when they run: `kernelset --help` and the end of a
# pipe must not wait for the whole pipeline to load.

_OBJECTS_BETWEEN_COLLECTIONS: Final = 100_000
"""Modules stay loaded, so a collection frees little: one after each 700 new objects, Python's
default, takes a tenth of a query's time.
"""


def main() -> None:
    """Run a command and exit: 0 done, 1 a task failed, 2 usage, 3 a bug, 4 nothing matched, 130
    interrupted.
    """
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # pydantic looks through all that is installed for plugins of its own, of which none is ours
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        code = _print_version() if sys.argv[1:] == ["--version"] else _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # the reader of a pipe such as `| head` has all it wanted
        code = DONE

    if code == INTERRUPTED:
        sys.stderr.write("\ninterrupted: run the same command again to go on\n")
    _leave(code)


def _print_version() -> int:
    """Print the version without loading all commands, whose options have it, too."""
    from importlib.metadata import version

    sys.stdout.write(f"kernelset {version('kernelset')}\n")
    return DONE


def _run() -> int:
    from typer import TyperException

    from crawler.errors import CrawlError

    try:
        return _call_app()
    except TyperException as error:
        return _print_usage_error(error)
    except CrawlError as error:
        return _print_crawl_error(error)
    except Exception as error:
        return _report_unexpected_error(error)


def _call_app() -> int:
    from workers.cli.command_groups import make_app

    # an option before the verb, such as `--home`, is rare: all verbs are loaded then
    app = make_app(verb_name="".join(sys.argv[1:2]))
    result = app(prog_name="kernelset", standalone_mode=False)
    return result if isinstance(result, int) else DONE


def _print_usage_error(error: Exception) -> int:
    from workers.cli.terminal import escape_lines

    context = getattr(error, "ctx", None)
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    command = context.command_path if context else "kernelset"

    # a command without arguments: its "message" is the whole help text
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(text.rstrip() + "\n")
        return USAGE

    sentence = text if text.endswith((".", "?", "!")) else f"{text}."
    sys.stderr.write(f"error: {escape_lines(sentence)} See `{command} --help`.\n")
    return USAGE


def _print_crawl_error(error: CrawlError) -> int:
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
    if isinstance(error, (Misconfigured, NotFound, BadDatabase)):
        return USAGE
    return FAILED


def _report_unexpected_error(error: Exception) -> int:
    """Print what the operator can mend; write a report about everything else, which is a bug."""
    from workers.cli.terminal import escape_line
    from workers.execution.error_policy import decide_outcome

    decision = decide_outcome(error, attempt=1, attempts=1)
    if decision.stop:
        sys.stderr.write(f"error: {decision.message} [{decision.code}]\n")
        return USAGE

    if isinstance(error, OSError) and error.filename:
        filename = escape_line(error.filename)
        sys.stderr.write(
            f"error: {filename}: {error.strerror}: see that it is there and may be used\n"
        )
        return USAGE

    try:
        path = _write_report(error)
    except OSError:
        # no room for a report: the traceback itself is all there is to send
        traceback.print_exception(error)
        return BUG

    error_name = type(error).__name__
    sys.stderr.write(
        f"error: this is a bug in Kernelset ({error_name}). Please report it with {path}\n"
    )
    return BUG


def _write_report(error: Exception) -> Path:
    import platform
    import tempfile
    from importlib.metadata import version

    kernelset_version = version("kernelset")
    python_version = platform.python_version()
    system = platform.platform()
    report_text = (
        f"kernelset {kernelset_version}, Python {python_version}, {system}\n"
        f"command: {' '.join(sys.argv)}\n\n"
        + "".join(traceback.format_exception(error))
    )

    handle, name = tempfile.mkstemp(prefix="kernelset-report-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
        report.write(report_text)
    return Path(name)


def _leave(code: int) -> None:
    # an interpreter that flushes a closed pipe at its end would complain once more
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)
