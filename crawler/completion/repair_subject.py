"""Find what a model is asked to repair: units and ports that fail where they were to pass."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.completion.purpose import Subject
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.dataset.prompts.solution import split_unit
from crawler.dataset.rows.unit_statuses import list_build_statuses
from crawler.judging.judging_task import JudgingTask, build_port_task
from crawler.model import Build, Dialect, KernelRecord, KernelUnit, Run, Status, Verdict
from crawler.validate.build import target_dialect

_BAD_BUILDS: Final = (Status.FAIL, Status.UNSUPPORTED)
_SLOWER: Final = "slower"
_MAX_DIAGNOSTICS: Final = 20
_MAX_PROBLEM_LENGTH: Final = 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairSubject(Subject):
    """A unit that fails, and what a repaired one is held against."""

    original: KernelUnit | None
    """What it was ported from; `None` for the project's own."""
    task: JudgingTask
    """The kernel in its language; without files where it has no cases."""

    @property
    def has_cases(self) -> bool:
        """Whether there are cases that a repaired unit is run on."""
        return bool(self.task.files)


def find_repairs(
    record: KernelRecord, targets: Collection[str], read_content: ContentReader
) -> Iterator[RepairSubject]:
    """Yield what of a kernel fails for one of `targets`, or on a device, where a port may be slow,
    too: its own unit, or else its ports.
    """
    own_unit = record.kernel.unit
    if own_unit is None:
        return

    own_repair = _find_repair(record, own_unit, None, targets, read_content)
    if own_repair is not None:
        # nothing that is ported of it can be better
        yield own_repair
        return

    for port in record.ports:
        if port.dialect is not own_unit.dialect:
            repair = _find_repair(record, port, own_unit, targets, read_content)
            if repair is not None:
                yield repair


def _find_repair(
    record: KernelRecord,
    unit: KernelUnit,
    original: KernelUnit | None,
    targets: Collection[str],
    read_content: ContentReader,
) -> RepairSubject | None:
    own_targets = tuple(
        sorted(target for target in targets if target_dialect(target) is unit.dialect)
    )
    builds = list_failed_builds(record, unit, own_targets)
    # what the author's own kernel does is no fault that anybody but the author can tell
    runs = _list_failed_runs(record, unit) if original else []
    if not own_targets or not (builds or runs):
        return None

    task = build_port_task(record, unit, read_content) if original else None
    if not builds and task is None:
        return None

    return RepairSubject(
        kernel=make_task_id(record),
        unit=unit,
        original=original,
        targets=own_targets,
        problem=describe_failures(builds, runs),
        task=task or _make_task_without_cases(record, unit),
    )


def list_failed_builds(
    record: KernelRecord, unit: KernelUnit, targets: Collection[str]
) -> list[Build]:
    """Return the builds that fail for targets for which no compiler takes the unit."""
    bad_statuses = {status.value for status in _BAD_BUILDS}
    statuses = list_build_statuses(record, unit.digest)
    return [
        build
        for build in record.builds
        if build.unit == unit.digest
        and build.target in targets
        and statuses[build.target] in bad_statuses
        and build.pass_call.status in _BAD_BUILDS
    ]


def _list_failed_runs(record: KernelRecord, unit: KernelUnit) -> list[Run]:
    return [
        run
        for run in record.runs
        if run.unit == unit.digest and _find_fault(run) is not None
    ]


def _find_fault(run: Run) -> Verdict | None:
    """Return what speaks against a run: what came out, or else its time beside a baseline."""
    if run.pass_exe.status is Status.FAIL:
        return run.pass_exe
    is_slow = run.pass_perf is not None and run.pass_perf.code == _SLOWER
    return run.pass_perf if is_slow else None


def describe_failures(builds: Sequence[Build], runs: Sequence[Run] = ()) -> str:
    """Return what compilers and runs say, as it is shown to a model."""
    lines: list[str] = []
    for build in builds:
        verdict = build.pass_call
        if verdict.status is Status.PASS:
            continue
        lines.append(f"{build.target}: {verdict.code}: {verdict.message}")
        errors = [
            diagnostic
            for diagnostic in build.diagnostics
            if diagnostic.severity in ("error", "fatal")
        ]
        lines += [
            f"{error.path}:{error.line}: {error.message}"
            if error.path
            else error.message
            for error in errors[:_MAX_DIAGNOSTICS]
        ]
    for run in runs:
        fault = _find_fault(run) or run.pass_exe
        lines.append(f"{run.device}: {fault.code}: {fault.message}")
    return "\n".join(lines)[:_MAX_PROBLEM_LENGTH]


def _make_task_without_cases(record: KernelRecord, unit: KernelUnit) -> JudgingTask:
    parts = split_unit(unit)
    return JudgingTask(
        task_id=make_task_id(record),
        test="",
        language=unit.dialect.value,
        files={},
        kernel_name=unit.kernel_name,
        context=parts.context if parts else "",
        signature=parts.signature if parts else "",
    )


def name_language(dialect: Dialect) -> str:
    """Return what a model calls a dialect."""
    return "HIP" if dialect is Dialect.HIP else "CUDA C++"
