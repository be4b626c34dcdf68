"""Command `extract`: write the kernels of one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import DepthOption, JsonOption, parse_depth
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.texts import depth as dataset
    from crawler.errors import ParseFailed
    from crawler.model import Kernel
    from workers.local.single_file import SingleFile


def extract(
    input_file: Annotated[
        Path, typer.Option("--input-file", metavar="F", help="The source or header.")
    ],
    output_dir: Annotated[
        Path, typer.Option("--output-dir", metavar="O", help="Where the kernels go.")
    ],
    compile_db: Annotated[
        Path | None,
        typer.Option(
            "--compile-db",
            metavar="D",
            help="A compile_commands.json or its folder (default: made up).",
        ),
    ] = None,
    with_headers: Annotated[
        bool,
        typer.Option(
            "--with-headers", help="Also the kernels of the files that it includes."
        ),
    ] = False,
    require_ast: Annotated[
        bool,
        typer.Option(
            "--require-ast",
            help="Fail where a kernel was not found by the compiler's own tree.",
        ),
    ] = False,
    depth: DepthOption = "unit",
    as_json: JsonOption = False,
) -> int:
    """Write the kernels of one file: a `.cu` that compiles alone and a `.json` for each
    instantiation.

    A header is read through a unit that includes it. Without --compile-db the flags are made up
    from the project's
    own `#include` lines, and it says so.
    """
    from workers.local.single_file import extract_single_file

    deep = parse_depth(depth)
    found = extract_single_file(input_file, compile_db)
    _say_where_the_flags_are_from(found, compile_db)
    chosen = found.kernels if with_headers else found.own_kernels
    by_syntax = [kernel for kernel in chosen if kernel.found_by == "syntactic"]
    for kernel in by_syntax:
        print_note(
            escape_line(
                f"{kernel.span.path}:{kernel.span.line}: {kernel.name} by syntax alone: {kernel.reason}"
            )
        )
    if require_ast and (by_syntax or found.facts.failure):
        raise _no_ast(found, by_syntax)
    files = _write(found, chosen, output_dir, deep)
    for kernel, names in zip(chosen, files, strict=True):
        _say_kernel(kernel, names, as_json)
    _conclude(found, chosen, output_dir, sum(map(len, files)))
    return DONE if chosen else NOTHING


def _no_ast(found: SingleFile, by_syntax: Sequence[Kernel]) -> ParseFailed:
    """Return the error for kernels that the compiler's tree does not show; one in a string has
    no tree.
    """
    from crawler.errors import ParseFailed

    command = found.command
    lent = (
        f", with the flags that {command.borrowed_from} lent it"
        if command.borrowed_from
        else ""
    )
    flags = f"{command.origin} flags{lent}"
    errors = [
        one.message
        for one in found.facts.diagnostics
        if one.severity in ("error", "fatal")
    ]
    why = (
        found.facts.failure
        or f"{len(by_syntax)} of its kernels stand in no tree: {by_syntax[0].reason}"
    )
    first = f"; the parse's first error is: {errors[0]}" if errors else ""
    return ParseFailed(
        f"{found.path} was parsed with {flags}, and --require-ast forbids what syntax alone shows ({why}{first}). "
        "Nothing was written: mend the flags (--compile-db; `kernelset compile-db DIR --explain FILE` says where they "
        "are from), or leave out --require-ast",
        code="no-ast",
    )


def _write(
    found: SingleFile, chosen: Sequence[Kernel], folder: Path, depth: dataset.Depth
) -> list[tuple[str, ...]]:
    from crawler.dataset.exporters.tree import (
        copy_headers,
        read_taken_names,
        write_kernel,
    )
    from workers.local.single_file import make_records

    if not chosen:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    copy_headers(folder)
    names = read_taken_names(folder)
    return [
        write_kernel(record, folder, names, depth)
        for record in make_records(found, chosen)
    ]


def _say_where_the_flags_are_from(found: SingleFile, database: Path | None) -> None:
    command = found.command
    if database is None:
        print_note(
            "no --compile-db: the flags were made up from the project's own #include lines"
        )
    if command.borrowed_from:
        print_note(
            escape_line(
                f"{found.path} is read through {command.borrowed_from}, which includes it and lends its flags"
            )
        )


def _say_kernel(kernel: Kernel, files: Sequence[str], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "name": kernel.name,
                "qualified_name": kernel.qualified_name,
                "path": kernel.span.path,
                "line": kernel.span.line,
                "end_line": kernel.span.end_line,
                "found_by": kernel.found_by,
                "reason": kernel.reason,
                "digest": kernel.unit.digest if kernel.unit else "",
                "unit_problem": kernel.unit_problem,
                "instantiations": [each.label for each in kernel.instantiations],
                "launches": len(kernel.launches),
                "flags_origin": kernel.flags_origin,
                "files": files,
            }
        )
        return
    problem = f"  no unit: {kernel.unit_problem}" if kernel.unit_problem else ""
    print_line(
        escape_line(
            f"{kernel.span.path}:{kernel.span.line}  {kernel.qualified_name}  {' '.join(files)}{problem}"
        )
    )


def _conclude(
    found: SingleFile, chosen: Sequence[Kernel], folder: Path, files: int
) -> None:
    from workers.local.single_file import count_by_layer

    own, included = len(found.own_kernels), len(found.included_kernels)
    layers = (
        ", ".join(
            f"{number} by {layer}" for layer, number in count_by_layer(chosen).items()
        )
        or "none"
    )
    print_note(
        escape_line(
            f"{own} kernels in {found.path}, {included} in what it includes; written {len(chosen)} ({layers})"
        )
    )
    if chosen:
        print_note(escape_line(f"{files} files in {folder}"))
    elif included:
        print_note(
            "the file has no kernel itself: --with-headers takes those of what it includes"
        )
