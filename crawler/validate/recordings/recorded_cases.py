"""Choose cases among the launches that were recorded of a kernel, and hold its unit on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import CaseKind, KernelUnit
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded, limit_endless_runs
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.source.architecture import choose_architecture
from crawler.validate.inputs.cases.branch_search import BranchCoverage
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.problems import find_problems
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import trace_trials
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.recordings.recorded_memory import (
    build_recorded_trial,
    iter_differences,
)
from crawler.validate.recordings.recorded_trial import RecordedTrial
from crawler.validate.values.template_arguments import (
    are_same_arguments,
    parse_template_arguments,
)

MAX_RECORDED_CASES: Final = 6
MAX_CASE_BYTES: Final = 2 << 20
MAX_SUITE_BYTES: Final = 6 << 20
"""Of the memory of recorded cases."""
_MAX_CANDIDATES: Final = 12
_MAX_LAUNCH_SECONDS: Final = 1.0
"""Of the processor, traced, that a launch took in its own program."""
_MAX_SECONDS: Final = 4.0
"""Of all candidates together."""
_MAX_ENDLESS_SECONDS: Final = 10.0
_RECORDED_WARP_SIZE: Final = 32
# a word in a comment counts, too, and costs no more than that nothing recorded is replayed
_CLOCK: Final = re.compile(r"\bclock(?:64)?\s*\(|globaltimer|\bwall_clock64\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDrafts:
    """The cases that recorded launches make, and whether the unit does what they did."""

    drafts: tuple[CaseDraft, ...] = ()
    replayed_count: int = 0
    """Launches of this very instantiation that ran to their end again."""
    difference: str = ""
    """Where the unit left memory otherwise than the launch that was recorded; empty where it did
    not.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replay:
    """A recorded launch that was run again."""

    launch: RecordedLaunch
    trial: RecordedTrial
    execution: Execution

    @property
    def result(self) -> TrialResult:
        return TrialResult(
            trial=self.trial,
            execution=self.execution,
            problems=find_problems(self.execution),
        )


def draft_recorded_cases(
    subject: TrialSubject,
    launches: Sequence[RecordedLaunch],
    known_results: Sequence[TrialResult] = (),
) -> RecordedDrafts:
    """Return cases made of the launches of a kernel, chosen for what none of `known_results` does.

    They are those of the subject's own instantiation; where it has none, those of others, with
    its own types of numbers.
    """
    own_launches = [launch for launch in launches if _is_own(subject, launch)]
    replays = _replay(subject, own_launches or launches)
    usable = [replay for replay in replays if replay.result.is_usable]
    chosen = _choose(subject, usable, known_results)

    return RecordedDrafts(
        drafts=tuple(
            _draft(replay, number) for number, replay in enumerate(chosen, start=1)
        ),
        replayed_count=len(usable) if own_launches else 0,
        difference=_find_difference(subject, usable) if own_launches else "",
    )


def list_launched_entries(
    unit: KernelUnit, launches: Iterable[RecordedLaunch]
) -> tuple[int, ...]:
    """Return the numbers of the instantiations that were launched."""
    launched = {launch.arguments for launch in launches}
    arguments = [parse_template_arguments(text) for text in sorted(launched)]
    return tuple(
        entry
        for entry, instantiation in enumerate(unit.instantiations)
        if any(
            are_same_arguments(instantiation.arguments, launched_arguments)
            for launched_arguments in arguments
        )
    )


def _is_own(subject: TrialSubject, launch: RecordedLaunch) -> bool:
    instantiations = subject.unit.instantiations
    arguments = instantiations[subject.entry].arguments if instantiations else ()
    return are_same_arguments(arguments, parse_template_arguments(launch.arguments))


def _replay(subject: TrialSubject, launches: Sequence[RecordedLaunch]) -> list[_Replay]:
    """Run launches again, traced; the smallest first, as many as may be."""
    pairs = [
        (launch, trial)
        for launch in _select_candidates(launches)
        if (trial := build_recorded_trial(subject, launch)) is not None
    ]
    try:
        # a budget of their own: what else is known of the kernel stays so
        with limit_endless_runs(_MAX_ENDLESS_SECONDS):
            trials = [trial for _, trial in pairs]
            executions = trace_trials(subject.program, subject.layout, trials)
    except CpuBudgetExceeded:
        return []

    return [
        _Replay(launch=launch, trial=trial, execution=execution)
        for (launch, trial), execution in zip(pairs, executions, strict=True)
    ]


def _select_candidates(launches: Sequence[RecordedLaunch]) -> Iterator[RecordedLaunch]:
    seconds = 0.0
    count = 0
    for launch in sorted(launches, key=lambda each: (each.size, each.number)):
        is_slow = launch.seconds > _MAX_LAUNCH_SECONDS
        if launch.size > MAX_CASE_BYTES or is_slow:
            continue
        seconds += launch.seconds
        count += 1
        if count > _MAX_CANDIDATES or seconds > _MAX_SECONDS:
            return
        yield launch


def _choose(
    subject: TrialSubject,
    replays: Sequence[_Replay],
    known_results: Sequence[TrialResult],
) -> list[_Replay]:
    """Return the replays that differ most: in the branches that they take first, then in their
    configurations, then in their sizes.
    """
    coverage = BranchCoverage(subject)
    for result in known_results:
        coverage.record_run(result)

    reaching = [replay for replay in replays if coverage.record_run(replay.result)]
    configurations = {_describe_configuration(replay) for replay in reaching}
    differing: list[_Replay] = []
    other_replays: list[_Replay] = []
    for replay in replays:
        if any(replay is reaching_replay for reaching_replay in reaching):
            continue
        configuration = _describe_configuration(replay)
        is_new = configuration not in configurations
        configurations.add(configuration)
        (differing if is_new else other_replays).append(replay)

    return _limit([*reaching, *differing, *other_replays])


def _describe_configuration(replay: _Replay) -> tuple[object, ...]:
    launch = replay.launch
    sizes = tuple(buffer.size for buffer in launch.buffers)
    return launch.grid, launch.block, launch.shared_bytes, sizes


def _limit(replays: Sequence[_Replay]) -> list[_Replay]:
    chosen: list[_Replay] = []
    size = 0
    for replay in replays:
        if len(chosen) == MAX_RECORDED_CASES:
            break
        if size + replay.launch.size <= MAX_SUITE_BYTES:
            chosen.append(replay)
            size += replay.launch.size

    return chosen


def _draft(replay: _Replay, number: int) -> CaseDraft:
    return CaseDraft(
        name=f"recorded-{number}",
        kind=CaseKind.RECORDED,
        result=replay.result,
        origin=replay.launch.origin,
        source=replay.launch.source,
        licence=replay.launch.licence,
    )


def _find_difference(subject: TrialSubject, replays: Sequence[_Replay]) -> str:
    """Return where a replay left memory otherwise than its recorded launch; empty where none did,
    or where something else may be why.
    """
    # what the program wrote into global state was not recorded, and time goes on
    if subject.kernel.state or _CLOCK.search(subject.unit.source):
        return ""
    if choose_architecture(subject.unit).warp_size != _RECORDED_WARP_SIZE:
        return ""

    for replay in replays:
        if replay.execution.outcome is not Outcome.DONE:
            continue
        buffers = replay.execution.buffers
        difference = next(
            iter_differences(replay.trial, replay.launch, buffers, subject), None
        )
        if difference is not None:
            name, offset = difference
            launch = replay.launch
            return (
                f"{name} differs at byte {offset} from launch {launch.number} of"
                f" {launch.source or 'its program'}"
            )

    return ""
