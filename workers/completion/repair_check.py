"""Judge a repair as any candidate is: compiled for its targets, run on the kernel's cases, and its
steps counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from crawler.completion.purpose import Check
from crawler.completion.repair_subject import (
    RepairSubject,
    describe_failures,
)
from crawler.errors import Misconfigured
from crawler.judging.candidate import Candidate
from crawler.judging.candidate_unit import put_candidate_in_unit
from crawler.judging.hidden_cases import hide_cases
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.model import AttemptVerdict, Build, Status
from crawler.validate.build import build_unit
from workers.evaluation.feedback import describe_judgement
from workers.judging.completion_judge import CompletionJudge
from workers.judging.judge_candidates import find_candidate_source

_NOT_JUDGED: Final = "not-judged"
_MAX_MESSAGES: Final = 6000


class RepairCheck:
    """Judges answers on this machine; each is compiled and run in a sandbox."""

    def __init__(self, options: JudgeOptions) -> None:
        # on a GPU nobody counts
        self._options = replace(options, counts_steps=options.is_on_cpu)

    def __call__(self, subject: RepairSubject, answer: str) -> Check:
        """Return how an answer to what was asked of a subject was judged.

        Raises `MissingTool` or `Misconfigured` where nothing can be judged on this machine.
        """
        candidate = Candidate(
            task_id=subject.kernel,
            number=0,
            completion=answer,
            language=subject.task.language,
        )
        source = find_candidate_source(candidate, subject.task)
        if source is None or not answer.strip():
            return Check(
                verdict=AttemptVerdict.BROKEN,
                source="",
                messages="the answer is too long" if answer.strip() else "no source",
            )

        unit = put_candidate_in_unit(subject.unit, source)
        builds = [build_unit(unit, target).build for target in subject.targets]
        pass_call = {build.target: build.pass_call.status.value for build in builds}
        failed = [build for build in builds if not _is_built(build)]
        if failed:
            return Check(
                verdict=AttemptVerdict.BROKEN,
                source=source,
                messages=describe_failures(failed),
                pass_call=pass_call,
            )
        if not subject.has_cases:
            return Check(
                verdict=AttemptVerdict.COMPILES, source=source, pass_call=pass_call
            )

        judgement = self._run(subject, candidate)
        return Check(
            verdict=_find_verdict(judgement),
            source=source,
            messages=describe_judgement(judgement)[:_MAX_MESSAGES],
            pass_call=pass_call,
            pass_exe={self._options.device: _find_status(judgement)},
            pass_perf={self._options.device: _find_perf_status(judgement)}
            if judgement.pass_exe
            else {},
        )

    def _run(self, subject: RepairSubject, candidate: Candidate) -> Judgement:
        with CompletionJudge(lambda *_: subject.task, self._options) as judge:
            try:
                judgement = judge.judge(candidate)
            except Misconfigured as problem:
                if problem.code != _NOT_JUDGED:
                    raise
                # one kernel that cannot be judged by says nothing against the machine
                judgement = Judgement(
                    task_id=candidate.task_id,
                    number=0,
                    completion=candidate.digest,
                    code=_NOT_JUDGED,
                )
        # what is said of it goes to the model
        return hide_cases(judgement, subject.task.hidden_cases)


def _is_built(build: Build) -> bool:
    return build.pass_call.status is Status.PASS


def _find_verdict(judgement: Judgement) -> AttemptVerdict:
    if judgement.code:
        return AttemptVerdict.COMPILES
    if not judgement.pass_call:
        return AttemptVerdict.BROKEN
    if judgement.refusal:
        return AttemptVerdict.REFUSED
    if not judgement.pass_exe:
        return AttemptVerdict.WRONG
    is_slow = judgement.pass_perf is False
    return AttemptVerdict.SLOW if is_slow else AttemptVerdict.RIGHT


def _find_status(judgement: Judgement) -> str:
    if judgement.code:
        return Status.SKIPPED.value
    return (Status.PASS if judgement.pass_exe else Status.FAIL).value


def _find_perf_status(judgement: Judgement) -> str:
    if judgement.pass_perf is None:
        return Status.SKIPPED.value
    return (Status.PASS if judgement.pass_perf else Status.FAIL).value
