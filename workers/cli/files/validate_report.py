"""What `validate` prints about a build and about a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.cli.extents import describe_extents
from workers.cli.run_statuses import spell_out_status
from workers.cli.strength import describe_branches, describe_mutants
from workers.cli.terminal import escape_line, print_line

if TYPE_CHECKING:
    from crawler.model import Build, Resources, Run


def print_build(build: Build) -> None:
    """Print the verdict of a compilation, and what each kernel in the object uses."""
    verdict = build.pass_call
    form = build.form or "no object"
    reason = f"  {verdict.code}: {verdict.message}" if verdict.code else ""
    line = f"{build.target}  {verdict.status}  {form}  {build.toolchain.compiler}"
    print_line(escape_line(line + reason))

    for resources in build.resources:
        usage = _describe_resources(resources)
        print_line(escape_line(f"    {resources.symbol}: {usage}"))


def print_run(run: Run) -> None:
    """Print the verdict of a run, its time, and what its cases can tell."""
    verdict = run.pass_exe
    reason = f"{verdict.code}: {verdict.message}" if verdict.code else verdict.message
    summary = ""
    if verdict.status != "skipped":
        summary = f"  {run.behaviour}  {run.cases} cases"
    status = spell_out_status(verdict.status)
    print_line(escape_line(f"{run.device}  {status}{summary}  {reason}"))

    if run.pass_perf:
        timing = run.pass_perf
        time_reason = f"{timing.code}: {timing.message}".removeprefix(": ")
        print_line(escape_line(f"  time: {timing.status}  {time_reason}"))

    if run.extents:
        print_line(f"  extents: {describe_extents(run.extents)}")
    # below zero: not measured
    if run.strength.branches >= 0:
        print_line(f"  branches: {describe_branches(run.strength)}")
    if run.strength.mutants >= 0:
        print_line(f"  mutants: {describe_mutants(run.strength)}")
        print_line(f"  strength: {run.strength.strength_class}")


def _describe_resources(resources: Resources) -> str:
    """Say what is known, and of spills and scratch only where there are any."""
    parts = [
        f"{resources.registers} registers",
        f"{resources.shared_bytes} bytes shared",
    ]
    if resources.spills > 0:
        parts.append(f"{resources.spills} spilled")
    if resources.scratch_bytes > 0:
        parts.append(f"{resources.scratch_bytes} bytes scratch")
    if resources.occupancy >= 0:
        parts.append(f"occupancy {resources.occupancy}")
    return ", ".join(parts)
