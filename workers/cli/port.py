"""kernelset port: a CUDA source file, rewritten for HIP."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer

from workers.cli import DONE
from workers.cli.options import Json
from workers.cli.terminal import close_pipe, note, safe, say, say_json, verbatim


def port(
    file: Annotated[Path, typer.Argument(help="A CUDA source file; `-` for standard input.")],
    diff: Annotated[bool, typer.Option("--diff", help="Print what changes instead.")] = False,
    as_json: Json = False,
) -> int:
    """Print a CUDA source in HIP; what stands in the way of a port goes to standard error."""
    from crawler.codec import plain
    from crawler.port.port import port_text

    before = sys.stdin.read() if str(file) == "-" else file.read_bytes().decode("utf-8", "surrogateescape")
    after, report = port_text(before)
    if as_json:
        say_json({"source": after, **plain(report)})
    elif diff:
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), "hip", lineterm=""):
            say(verbatim(line))
    else:
        _write(after)
    for code, place in report.blockers:
        note(safe(f"{file}:{place}: cannot be ported: {code}"))
    for code, place in report.warnings:
        note(safe(f"{file}:{place}: look at this: {code}"))
    return DONE


def _write(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        close_pipe()
