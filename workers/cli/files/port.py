"""Command `port`: rewrite a CUDA source, or a folder of them, for HIP."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption
from workers.cli.terminal import (
    close_pipe,
    escape_line,
    escape_lines,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.model import PortReport
    from crawler.port.source_tree import PortedFile


def port(
    path: Annotated[
        Path,
        typer.Argument(
            help="A CUDA source or a folder of them; `-` for standard input."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where a ported folder goes."
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what changes instead.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what lies at --output.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Rewrite CUDA for HIP.

    A file goes to standard output, a folder to --output, where no file gets another name.

    What stands in the way of a port goes to standard error, with its place and its class.
    """
    if path.is_dir():
        return _port_folder(path, output, diff=diff, force=force, as_json=as_json)

    return _port_file(path, output, diff=diff, as_json=as_json)


def _port_file(path: Path, output: Path | None, *, diff: bool, as_json: bool) -> int:
    from crawler.codec import to_builtins
    from crawler.errors import Misconfigured
    from crawler.port.port import port_text

    if output is not None:
        raise Misconfigured(
            "--output is for a folder: a file goes to standard output",
            code="bad-options",
        )

    before = _read_source(path)
    after, report = port_text(before)
    if as_json:
        print_json({"source": after, **to_builtins(report)})
    elif diff:
        _print_difference(before, after, path.name)
    else:
        _write_source(after)

    _print_findings(str(path), report)
    return DONE


def _read_source(path: Path) -> str:
    from crawler.errors import Misconfigured

    if str(path) == "-":
        return sys.stdin.read()

    # whoever opens a pipe waits until somebody writes there
    if not path.is_file():
        raise Misconfigured(
            f"there is no file {path}: give a CUDA source or a folder of them",
            code="no-file",
        )
    # a source in another encoding keeps its bytes
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _port_folder(
    path: Path, output: Path | None, *, diff: bool, force: bool, as_json: bool
) -> int:
    from crawler.checkout.source_tree import open_tree
    from crawler.dataset.destination import create_folder_atomically
    from crawler.dataset.replacement import can_replace
    from crawler.errors import Misconfigured
    from crawler.port.source_tree import port_tree

    if output is None:
        raise Misconfigured(
            "a folder is ported into another: give --output DIR", code="bad-options"
        )
    target = output.absolute()
    # a port inside the ported folder would be read as a source of itself
    if target.resolve().is_relative_to(path.resolve()):
        raise Misconfigured(
            f"{output} lies in what is ported: give another --output",
            code="bad-options",
        )
    if not force and not can_replace(target):
        raise Misconfigured(
            f"{output} is there already: name another folder, or add --force",
            code="not-ours",
        )

    file_count = 0
    changed_count = 0
    with create_folder_atomically(target) as folder:
        for ported_file in port_tree(open_tree(path), folder):
            file_count += 1
            if ported_file.after != ported_file.before:
                changed_count += 1
            _print_ported_file(ported_file, diff=diff, as_json=as_json)

    print_note(
        escape_line(f"{changed_count} of {file_count} sources changed in {output}")
    )
    return DONE if changed_count else NOTHING


def _print_ported_file(ported: PortedFile, *, diff: bool, as_json: bool) -> None:
    from crawler.codec import to_builtins

    is_changed = ported.after != ported.before
    if as_json:
        print_json(
            {
                "path": ported.path,
                "changed": is_changed,
                "problem": ported.problem,
                **to_builtins(ported.report),
            }
        )
    elif diff:
        _print_difference(ported.before, ported.after, ported.path)

    if ported.problem:
        print_note(escape_line(f"{ported.path}: {ported.problem}"))
    if is_changed:
        _print_findings(ported.path, ported.report)


def _print_difference(before: str, after: str, name: str) -> None:
    from crawler.port.unified_diff import iter_diff_lines

    for line in iter_diff_lines(before, after, name):
        print_line(escape_lines(line))


def _print_findings(path: str, report: PortReport) -> None:
    _print_notes(path, report.blockers, "cannot be ported")
    _print_notes(path, report.warnings, "look at this")


def _print_notes(path: str, findings: Iterable[tuple[str, int]], meaning: str) -> None:
    for code, line in findings:
        print_note(escape_line(f"{path}:{line}: {meaning}: {code}"))


def _write_source(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        close_pipe()
