"""Command `show`: print everything known about a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import (
    CrawlOption,
    DepthOption,
    JsonOption,
    context_settings,
    parse_depth,
)
from workers.cli.terminal import (
    escape_line,
    escape_lines,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.dataset.texts import depth as dataset
    from crawler.model import Kernel, KernelRecord, KernelUnit, Operator, Run, Suite
    from storage.open import Storage

_MOST: Final = 20


def show(
    context: typer.Context,
    which: Annotated[
        str,
        typer.Argument(
            metavar="DIGEST|NAME", help="A unit's digest (or its start), or a name."
        ),
    ],
    depth: DepthOption = "unit",
    crawl: CrawlOption = "",
    as_json: JsonOption = False,
) -> int:
    """Print a kernel with its launches, its unit, its port, its verdicts, and what it was run
    with.
    """
    from crawler.codec import to_builtins
    from crawler.dataset.programs.harness_programs import build_programs_at_depth
    from crawler.dataset.rows.row import to_row
    from workers.config.configured_storage import open_configured_storage

    found, deep = 0, parse_depth(depth)
    with open_configured_storage(context_settings(context)) as storage:
        for record in islice(_matching(storage, which, crawl), _MOST):
            found += 1
            if as_json:
                print_json(
                    to_builtins(
                        to_row(
                            record,
                            deep,
                            build_programs_at_depth(record, deep, storage.blobs.get),
                        )
                    )
                )
            else:
                _print(record, deep)
    if not found:
        print_note(
            f"no kernel is called {escape_line(which)}, and no unit's digest starts so: try `kernelset query`"
        )
    return DONE if found else NOTHING


def _matching(storage: Storage, which: str, crawl: str) -> Iterator[KernelRecord]:
    if re.fullmatch(r"[0-9a-f]{4,64}", which):
        named = list(
            islice(storage.index.records(f"digest = {which}*", crawl=crawl), _MOST)
        )
        if named:
            yield from named
            return
    text = which.replace("\\", "\\\\").replace('"', '\\"')
    field = "qualified_name" if "::" in which else "name"
    yield from storage.index.records(f'{field} = "{text}"', crawl=crawl)


def _print(record: KernelRecord, depth: dataset.Depth) -> None:
    for name, value in _facts(record):
        if value:
            print_line(f"{name:<15}{escape_line(value)}")
    for launch in record.kernel.launches:
        print_line(
            escape_line(
                f"launch         {launch.span.path}:{launch.span.line} in {launch.enclosing or '?'}"
            )
        )
        print_line(
            escape_line(
                f"               <<<{launch.grid}, {launch.block}, {launch.shared_bytes}, {launch.stream}>>>"
            )
        )
    for operator in record.kernel.operators:
        _print_operator(operator)
    for build in record.builds:
        verdict = build.pass_call
        reason = f" {verdict.code}: {verdict.message}" if verdict.code else ""
        print_line(
            escape_line(
                f"build          {build.target} {verdict.status} ({build.form or 'no object'}){reason}"
            )
        )
    suites = dict(record.suites)
    for run in record.runs:
        _print_run(run, suites.get(run.suite))
    print_line()
    print_line(escape_lines(_text(record.kernel, depth)))


def _print_run(run: Run, suite: Suite | None) -> None:
    verdict = run.pass_exe
    reason = (
        f" {verdict.code}: {verdict.message}" if verdict.code else f" {verdict.message}"
    )
    print_line(
        escape_line(
            f"run            {run.device} {verdict.status} {run.details}".rstrip()
            + reason
        )
    )
    for line in (*_behaviour(run), *_measured(run), *(_cases(suite) if suite else ())):
        print_line(escape_line(f"               {line}"))
    if run.pass_perf:
        print_line(
            escape_line(
                f"               perf {run.pass_perf.status} {run.pass_perf.code} {run.pass_perf.message}".rstrip()
            )
        )


def _behaviour(run: Run) -> Iterator[str]:
    of = f" of {run.instantiation}" if run.instantiation else ""
    yield f"{run.behaviour}{of}, oracle {run.oracle}, by {run.toolchain.compiler}, {run.seconds:.1f} s"


def _measured(run: Run) -> Iterator[str]:
    measured = run.strength
    if measured.branches >= 0:
        missed = (
            f", not those of lines {', '.join(map(str, measured.unreached))}"
            if measured.unreached
            else ""
        )
        yield f"branches {measured.branches_reached} of {measured.branches}{missed}"
    if measured.mutants >= 0:
        yield f"mutants {measured.killed} of {measured.mutants} told from the kernel"


def _cases(suite: Suite) -> Iterator[str]:
    for case in suite.cases:
        sizes = ", ".join(
            f"{buffer.role} {buffer.name} {buffer.size} bytes"
            for buffer in case.buffers
        )
        near = max((buffer.absolute for buffer in case.buffers), default=0.0)
        within = f", within {near:.3g}" if near else ""
        kind = (
            "hidden"
            if case.hidden
            else f"{case.name} ({case.kind})"
            if case.name != case.kind
            else case.name
        )
        yield f"case {kind}: <<<{_extent(case.grid)}, {_extent(case.block)}, {case.shared_bytes}>>> {sizes}{within}"


def _extent(extent: tuple[int, int, int]) -> str:
    return "x".join(map(str, extent))


def _text(kernel: Kernel, depth: dataset.Depth) -> str:
    from crawler.dataset.texts.depth import (
        Depth,
        append_host_code,
        find_missing_parts,
        flatten_first_instantiations,
    )

    if depth is Depth.PURE:
        return "\n\n".join(
            one.source or f"// {one.label}: {one.problem}"
            for one in flatten_first_instantiations(kernel)
        )
    text = kernel.unit.source if kernel.unit else kernel.source
    return (
        append_host_code(text, kernel.host, find_missing_parts(kernel, depth))
        if depth is Depth.FULL
        else text
    )


def _print_operator(operator: Operator) -> None:
    print_line(
        escape_line(
            f"operator       {operator.name}{f', twin {operator.twin}' if operator.twin else ''}"
        )
    )
    for part in operator.parts:
        place = f"{part.span.path}:{part.span.line}-{part.span.end_line}"
        print_line(
            escape_line(
                f"               {part.role:<11}{part.name} {place} ({part.evidence})"
            )
        )


def _facts(record: KernelRecord) -> Iterator[tuple[str, str]]:
    kernel, repo = record.kernel, record.provenance.repo
    yield "kernel", kernel.qualified_name
    yield "place", f"{kernel.span.path}:{kernel.span.line}-{kernel.span.end_line}"
    yield "repository", f"{repo.url} at {repo.commit}"
    yield (
        "licence",
        f"{kernel.licence.spdx} ({kernel.licence.kind}), {kernel.licence.evidence}",
    )
    yield "found by", f"{kernel.found_by} {kernel.reason}".strip()
    yield "flags", f"{kernel.flags_origin} {kernel.borrowed_from}".strip()
    yield (
        "instantiations",
        ", ".join(each.label or "-" for each in kernel.instantiations),
    )
    yield "unit", kernel.unit.digest if kernel.unit else f"none: {kernel.unit_problem}"
    yield "ports", ", ".join(f"{port.digest}{_wave(port)}" for port in record.ports)
    yield (
        "global state",
        "; ".join(f"{one.kind} {one.type} {one.name}" for one in kernel.state),
    )
    yield "tags", ", ".join(kernel.tags)


def _wave(port: KernelUnit) -> str:
    return f" (wave: {port.port_report.wave})" if port.port_report else ""
