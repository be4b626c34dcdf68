"""kernelset show: everything that is known of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Crawl, Depth, Json, depth_of, settings_of
from workers.cli.terminal import note, safe, say, say_json, verbatim

if TYPE_CHECKING:
    from crawler.dataset import depth as dataset
    from crawler.model import Kernel, KernelRecord, KernelUnit, Operator, Run, Suite
    from storage.open import Storage

_MOST: Final = 20


def show(
    context: typer.Context,
    which: Annotated[str, typer.Argument(metavar="DIGEST|NAME", help="A unit's digest (or its start), or a name.")],
    depth: Depth = "unit",
    crawl: Crawl = "",
    as_json: Json = False,
) -> int:
    """Print a kernel with its launches, its unit, its port, its verdicts, and what it was run with."""
    from crawler.codec import plain
    from crawler.dataset.record import row_of
    from crawler.dataset.tests import programs_at
    from workers.wiring import storage_of

    found, deep = 0, depth_of(depth)
    with storage_of(settings_of(context)) as storage:
        for record in islice(_matching(storage, which, crawl), _MOST):
            found += 1
            if as_json:
                say_json(plain(row_of(record, deep, programs_at(record, deep, storage.blobs.get))))
            else:
                _print(record, deep)
    if not found:
        note(f"no kernel is called {safe(which)}, and no unit's digest starts so: try `kernelset query`")
    return DONE if found else NOTHING


def _matching(storage: Storage, which: str, crawl: str) -> Iterator[KernelRecord]:
    if re.fullmatch(r"[0-9a-f]{4,64}", which):
        named = list(islice(storage.index.records(f"digest = {which}*", crawl=crawl), _MOST))
        if named:
            yield from named
            return
    text = which.replace("\\", "\\\\").replace('"', '\\"')
    field = "qualified_name" if "::" in which else "name"
    yield from storage.index.records(f'{field} = "{text}"', crawl=crawl)


def _print(record: KernelRecord, depth: dataset.Depth) -> None:
    for name, value in _facts(record):
        if value:
            say(f"{name:<15}{safe(value)}")
    for launch in record.kernel.launches:
        say(safe(f"launch         {launch.span.path}:{launch.span.line} in {launch.enclosing or '?'}"))
        say(safe(f"               <<<{launch.grid}, {launch.block}, {launch.shared_bytes}, {launch.stream}>>>"))
    for operator in record.kernel.operators:
        _print_operator(operator)
    for build in record.builds:
        verdict = build.pass_call
        reason = f" {verdict.code}: {verdict.message}" if verdict.code else ""
        say(safe(f"build          {build.target} {verdict.status} ({build.form or 'no object'}){reason}"))
    suites = dict(record.suites)
    for run in record.runs:
        _print_run(run, suites.get(run.suite))
    say()
    say(verbatim(_text(record.kernel, depth)))


def _print_run(run: Run, suite: Suite | None) -> None:
    verdict = run.pass_exe
    reason = f" {verdict.code}: {verdict.message}" if verdict.code else f" {verdict.message}"
    say(safe(f"run            {run.device} {verdict.status} {run.details}".rstrip() + reason))
    for line in (*_behaviour(run), *_measured(run), *(_cases(suite) if suite else ())):
        say(safe(f"               {line}"))
    if run.pass_perf:
        say(safe(f"               perf {run.pass_perf.status} {run.pass_perf.code} {run.pass_perf.message}".rstrip()))


def _behaviour(run: Run) -> Iterator[str]:
    of = f" of {run.instantiation}" if run.instantiation else ""
    yield f"{run.behaviour}{of}, oracle {run.oracle}, by {run.toolchain.compiler}, {run.seconds:.1f} s"


def _measured(run: Run) -> Iterator[str]:
    measured = run.strength
    if measured.branches >= 0:
        missed = f", not those of lines {', '.join(map(str, measured.unreached))}" if measured.unreached else ""
        yield f"branches {measured.branches_reached} of {measured.branches}{missed}"
    if measured.mutants >= 0:
        yield f"mutants {measured.killed} of {measured.mutants} told from the kernel"


def _cases(suite: Suite) -> Iterator[str]:
    for case in suite.cases:
        sizes = ", ".join(f"{buffer.role} {buffer.name} {buffer.size} bytes" for buffer in case.buffers)
        near = max((buffer.absolute for buffer in case.buffers), default=0.0)
        within = f", within {near:.3g}" if near else ""
        kind = "hidden" if case.hidden else f"{case.name} ({case.kind})" if case.name != case.kind else case.name
        yield f"case {kind}: <<<{_extent(case.grid)}, {_extent(case.block)}, {case.shared_bytes}>>> {sizes}{within}"


def _extent(extent: tuple[int, int, int]) -> str:
    return "x".join(map(str, extent))


def _text(kernel: Kernel, depth: dataset.Depth) -> str:
    from crawler.dataset.depth import Depth, absent, flats, with_host

    if depth is Depth.PURE:
        return "\n\n".join(one.source or f"// {one.label}: {one.problem}" for one in flats(kernel))
    text = kernel.unit.source if kernel.unit else kernel.source
    return with_host(text, kernel.host, absent(kernel, depth)) if depth is Depth.FULL else text


def _print_operator(operator: Operator) -> None:
    say(safe(f"operator       {operator.name}{f', twin {operator.twin}' if operator.twin else ''}"))
    for part in operator.parts:
        place = f"{part.span.path}:{part.span.line}-{part.span.end_line}"
        say(safe(f"               {part.role:<11}{part.name} {place} ({part.evidence})"))


def _facts(record: KernelRecord) -> Iterator[tuple[str, str]]:
    kernel, repo = record.kernel, record.provenance.repo
    yield "kernel", kernel.qualified_name
    yield "place", f"{kernel.span.path}:{kernel.span.line}-{kernel.span.end_line}"
    yield "repository", f"{repo.url} at {repo.commit}"
    yield "licence", f"{kernel.licence.spdx} ({kernel.licence.kind}), {kernel.licence.evidence}"
    yield "found by", f"{kernel.found_by} {kernel.reason}".strip()
    yield "flags", f"{kernel.flags_origin} {kernel.borrowed_from}".strip()
    yield "instantiations", ", ".join(each.label or "-" for each in kernel.instantiations)
    yield "unit", kernel.unit.digest if kernel.unit else f"none: {kernel.unit_problem}"
    yield "ports", ", ".join(f"{port.digest}{_wave(port)}" for port in record.ports)
    yield "global state", "; ".join(f"{one.kind} {one.type} {one.name}" for one in kernel.state)
    yield "tags", ", ".join(kernel.tags)


def _wave(port: KernelUnit) -> str:
    return f" (wave: {port.port_report.wave})" if port.port_report else ""
