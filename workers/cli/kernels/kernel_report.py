"""What `show` prints about a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from workers.cli.extents import describe_extents
from workers.cli.run_statuses import spell_out_status
from workers.cli.strength import describe_branches, describe_mutants
from workers.cli.terminal import escape_line, escape_lines, print_line

if TYPE_CHECKING:
    from crawler.dataset.texts.depth import Depth
    from crawler.model import (
        Build,
        Case,
        Kernel,
        KernelRecord,
        KernelUnit,
        Launch,
        Operator,
        Run,
        Suite,
    )

# names of facts stand in a column of this width, and what continues one below it
_NAME_WIDTH: Final = 15
_INDENT: Final = " " * _NAME_WIDTH


def print_record(record: KernelRecord, depth: Depth) -> None:
    """Print a kernel with its launches, verdicts and runs, and its text at `depth`."""
    for name, value in _iter_facts(record):
        if value:
            _print_fact(name, value)

    kernel = record.kernel
    for launch in kernel.launches:
        _print_launch(launch)
    for operator in kernel.operators:
        _print_operator(operator)
    for build in record.builds:
        _print_build(build)

    suites = dict(record.suites)
    for run in record.runs:
        # the cases of the run that speaks for the unit will do: others are drawn alike
        suite = None if run.is_further else suites.get(run.suite)
        _print_run(run, suite)
    for device, labels in _list_not_run(record).items():
        _print_fact("not run", f"{device}: {len(labels)}: {', '.join(labels)}")

    print_line()
    print_line(escape_lines(_kernel_text(kernel, depth)))


def _iter_facts(record: KernelRecord) -> Iterator[tuple[str, str]]:
    kernel = record.kernel
    repo = record.provenance.repo
    span = kernel.span
    licence = kernel.licence

    yield "kernel", kernel.qualified_name
    yield "place", f"{span.path}:{span.line}-{span.end_line}"
    yield "repository", f"{repo.url} at {repo.commit}"
    evidence = f", {licence.evidence}" if licence.evidence else ""
    yield "licence", f"{licence.spdx} ({licence.kind}){evidence}"
    yield "found by", f"{kernel.found_by} {kernel.reason}".strip()
    flags = (kernel.flags_origin.value, kernel.borrowed_from, *kernel.added_flags)
    yield "flags", " ".join(filter(None, flags))

    labels = [instantiation.label or "-" for instantiation in kernel.instantiations]
    yield "instantiations", ", ".join(labels)
    yield "unit", kernel.unit.digest if kernel.unit else f"none: {kernel.unit_problem}"

    ports = [_describe_port(port) for port in record.ports]
    yield "ports", ", ".join(ports)
    if kernel.author_port:
        yield "author's port", f"{kernel.author_port.path}:{kernel.author_port.line}"

    variables = [
        f"{variable.kind} {variable.type} {variable.name}" for variable in kernel.state
    ]
    yield "global state", "; ".join(variables)
    yield "tags", ", ".join(kernel.tags)


def _list_not_run(record: KernelRecord) -> dict[str, list[str]]:
    """Return device to the labels of instantiations that nobody ran there, beside others."""
    from crawler.model import select_run_per_instantiation

    labels = [instantiation.label for instantiation in record.kernel.instantiations]
    labels_per_device: dict[str, list[str]] = {}
    run_per_instantiation = select_run_per_instantiation(labels, record.runs)

    for device, run_per_label in run_per_instantiation.items():
        not_run = [label or "-" for label, run in run_per_label.items() if run is None]
        if not_run:
            labels_per_device[device] = not_run

    return labels_per_device


def _describe_port(port: KernelUnit) -> str:
    if port.port_report is None:
        return port.digest
    return f"{port.digest} (wave: {port.port_report.wave})"


def _print_fact(name: str, value: str) -> None:
    print_line(f"{name:<{_NAME_WIDTH}}{escape_line(value)}")


def _print_continuation(text: str) -> None:
    print_line(escape_line(f"{_INDENT}{text}"))


def _print_launch(launch: Launch) -> None:
    span = launch.span
    enclosing = launch.enclosing or "?"
    _print_fact("launch", f"{span.path}:{span.line} in {enclosing}")

    dimensions = f"{launch.grid}, {launch.block}"
    configuration = f"{dimensions}, {launch.shared_bytes}, {launch.stream}"
    _print_continuation(f"<<<{configuration}>>>")


def _print_operator(operator: Operator) -> None:
    twin = f", twin {operator.twin}" if operator.twin else ""
    _print_fact("operator", f"{operator.name}{twin}")

    for part in operator.parts:
        place = f"{part.span.path}:{part.span.line}-{part.span.end_line}"
        _print_continuation(f"{part.role:<11}{part.name} {place} ({part.evidence})")


def _print_build(build: Build) -> None:
    verdict = build.pass_call
    form = build.form or "no object"
    reason = f" {verdict.code}: {verdict.message}" if verdict.code else ""
    _print_fact("build", f"{build.target} {verdict.status} ({form}){reason}")


def _print_run(run: Run, suite: Suite | None) -> None:
    verdict = run.pass_exe
    reason = f"{verdict.code}: {verdict.message}" if verdict.code else verdict.message
    status = spell_out_status(verdict.status)
    summary = f"{run.device} {status} {run.details}".rstrip()
    _print_fact("run", f"{summary} {reason}")

    for line in _iter_run_lines(run):
        _print_continuation(line)
    if suite is not None:
        for case in suite.cases:
            _print_continuation(_describe_case(case))

    timing = run.pass_perf
    if timing:
        _print_continuation(
            f"perf {timing.status} {timing.code} {timing.message}".rstrip()
        )


def _iter_run_lines(run: Run) -> Iterator[str]:
    instantiation = f" of {run.instantiation}" if run.instantiation else ""
    compiler = run.toolchain.compiler
    yield (
        f"{run.behaviour}{instantiation}, oracle {run.oracle}, "
        f"by {compiler}, {run.seconds:.1f} s"
    )

    if run.extents:
        yield f"extents {describe_extents(run.extents)}"
    # below zero: not measured
    if run.strength.branches >= 0:
        yield f"branches {describe_branches(run.strength)}"
    if run.suite:
        yield f"strength {run.strength.strength_class}"
    if run.strength.mutants >= 0:
        yield f"mutants {describe_mutants(run.strength)}"


def _describe_case(case: Case) -> str:
    buffers = [
        f"{buffer.name} ({buffer.role}) {buffer.size} bytes" for buffer in case.buffers
    ]
    sizes = ", ".join(buffers)

    tolerance = max((buffer.absolute for buffer in case.buffers), default=0.0)
    within = f", within {tolerance:.3g}" if tolerance else ""

    grid = _format_extent(case.grid)
    block = _format_extent(case.block)
    launch = f"<<<{grid}, {block}, {case.shared_bytes}>>>"
    origin = f", from {case.source}" if case.source else ""
    return f"case {_case_label(case)}: {launch} {sizes}{within}{origin}"


def _case_label(case: Case) -> str:
    if case.hidden:
        return "hidden"
    if case.name == case.kind:
        return case.name
    return f"{case.name} ({case.kind})"


def _format_extent(extent: tuple[int, int, int]) -> str:
    return "x".join(str(size) for size in extent)


def _kernel_text(kernel: Kernel, depth: Depth) -> str:
    from crawler.dataset.texts.depth import (
        Depth,
        append_host_code,
        find_missing_parts,
        flatten_first_instantiations,
    )

    if depth is Depth.PURE:
        texts = []
        for pure in flatten_first_instantiations(kernel):
            texts.append(pure.source or f"// {pure.label}: {pure.problem}")
        return "\n\n".join(texts)

    text = kernel.unit.source if kernel.unit else kernel.source
    if depth is Depth.FULL:
        missing_parts = find_missing_parts(kernel, depth)
        return append_host_code(text, kernel.host, missing_parts)
    return text
