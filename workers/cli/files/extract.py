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
    from crawler.dataset.texts.depth import Depth
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
    """Write the kernels of one file, without a crawl.

    A `.cu` that compiles alone and a `.json` for each instantiation.

    A header is read through a unit that includes it. Without --compile-db the flags are made up
    from the project's
    own `#include` lines, and it says so.
    """
    from workers.local.single_file import extract_single_file

    parsed_depth = parse_depth(depth)
    single_file = extract_single_file(input_file, compile_db)
    _print_flags_origin(single_file, compile_db)

    kernels = single_file.kernels if with_headers else single_file.own_kernels
    syntactic_kernels = [kernel for kernel in kernels if kernel.found_by == "syntactic"]
    _print_syntactic_kernels(syntactic_kernels)
    if require_ast and (syntactic_kernels or single_file.facts.failure):
        raise _make_ast_error(single_file, syntactic_kernels)

    files_by_kernel = _write_kernels(single_file, kernels, output_dir, parsed_depth)
    for kernel, files in zip(kernels, files_by_kernel, strict=True):
        _print_kernel(kernel, files, as_json)

    file_count = sum(len(files) for files in files_by_kernel)
    _print_summary(single_file, kernels, output_dir, file_count)
    return DONE if kernels else NOTHING


def _print_flags_origin(single_file: SingleFile, database: Path | None) -> None:
    command = single_file.command
    if database is None:
        print_note(
            "no --compile-db: the flags were made up from the project's own #include lines"
        )
    if command.borrowed_from:
        further_flags = ""
        if single_file.further_units:
            further_flags = (
                f", and for its launches through {', '.join(single_file.further_units)}"
            )

        print_note(
            escape_line(
                f"{single_file.path} is read through {command.borrowed_from}, "
                f"which includes it and lends its flags{further_flags}"
            )
        )


def _print_syntactic_kernels(kernels: Sequence[Kernel]) -> None:
    for kernel in kernels:
        place = f"{kernel.span.path}:{kernel.span.line}"
        print_note(
            escape_line(f"{place}: {kernel.name} by syntax alone: {kernel.reason}")
        )


def _make_ast_error(
    single_file: SingleFile, syntactic_kernels: Sequence[Kernel]
) -> ParseFailed:
    """Return the error for kernels that the compiler's tree does not show; one in a string has
    no tree.
    """
    from crawler.errors import ParseFailed

    command = single_file.command
    flags = f"{command.origin} flags"
    if command.borrowed_from:
        flags += f", with the flags that {command.borrowed_from} lent it"

    reason = single_file.facts.failure
    if not reason:
        first_reason = syntactic_kernels[0].reason
        kernel_count = len(syntactic_kernels)
        reason = f"{kernel_count} of its kernels stand in no tree: {first_reason}"

    first_error = _first_error(single_file)
    if first_error is not None:
        reason += f"; the parse's first error is: {first_error}"
    return ParseFailed(
        f"{single_file.path} was parsed with {flags}, "
        f"and --require-ast forbids what syntax alone shows ({reason}). "
        "Nothing was written: mend the flags "
        "(--compile-db; `kernelset compile-db DIR --explain FILE` says where they "
        "are from), or leave out --require-ast",
        code="no-ast",
    )


def _first_error(single_file: SingleFile) -> str | None:
    for diagnostic in single_file.facts.diagnostics:
        if diagnostic.severity in ("error", "fatal"):
            return diagnostic.message
    return None


def _write_kernels(
    single_file: SingleFile, kernels: Sequence[Kernel], folder: Path, depth: Depth
) -> list[tuple[str, ...]]:
    """Return the names of the files that were written for each kernel."""
    from crawler.dataset.trees.header_folder import copy_headers
    from crawler.dataset.trees.kernel_folder import read_taken_names, write_kernel
    from workers.local.single_file import make_records

    if not kernels:
        return []

    folder.mkdir(parents=True, exist_ok=True)
    copy_headers(folder, depth)

    # kernels of earlier runs stay: a second file may be extracted into the same folder
    taken_names = read_taken_names(folder)
    return [
        write_kernel(record, folder, taken_names, depth)
        for record in make_records(single_file, kernels)
    ]


def _print_kernel(kernel: Kernel, files: Sequence[str], as_json: bool) -> None:
    if as_json:
        print_json(_kernel_values(kernel, files))
        return

    place = f"{kernel.span.path}:{kernel.span.line}"
    problem = f"  no unit: {kernel.unit_problem}" if kernel.unit_problem else ""
    # all its files lie in one folder
    folder = files[0].partition("/")[0]
    print_line(escape_line(f"{place}  {kernel.qualified_name}  {folder}/{problem}"))


def _kernel_values(kernel: Kernel, files: Sequence[str]) -> dict[str, object]:
    return {
        "name": kernel.name,
        "qualified_name": kernel.qualified_name,
        "path": kernel.span.path,
        "line": kernel.span.line,
        "end_line": kernel.span.end_line,
        "found_by": kernel.found_by,
        "reason": kernel.reason,
        "digest": kernel.unit.digest if kernel.unit else "",
        "unit_problem": kernel.unit_problem,
        "instantiations": [
            instantiation.label for instantiation in kernel.instantiations
        ],
        "launches": len(kernel.launches),
        "flags_origin": kernel.flags_origin,
        "files": files,
    }


def _print_summary(
    single_file: SingleFile, kernels: Sequence[Kernel], folder: Path, file_count: int
) -> None:
    from workers.local.single_file import count_by_layer

    own_count = len(single_file.own_kernels)
    included_count = len(single_file.included_kernels)
    layer_counts = count_by_layer(kernels).items()
    layers = ", ".join(f"{number} by {layer}" for layer, number in layer_counts)
    print_note(
        escape_line(
            f"{own_count} kernels in {single_file.path}, "
            f"{included_count} in what it includes; "
            f"written {len(kernels)} ({layers or 'none'})"
        )
    )

    if kernels:
        print_note(escape_line(f"{file_count} files in {folder}"))
    elif included_count:
        print_note(
            "the file has no kernel itself: --with-headers takes those of what it includes"
        )
