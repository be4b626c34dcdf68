"""Add to judgements what is asked for beside outputs: builds for targets, and times on a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crawler.completion.repair_subject import describe_failures
from crawler.dataset.programs.harness_programs import JudgedUnit
from crawler.judging.candidate_unit import put_candidate_in_unit
from crawler.judging.judgement import Judgement
from crawler.judging.timed_sources import SourceTime, time_sources
from crawler.model import Build, Status
from crawler.validate.build import build_unit, target_dialect
from crawler.validate.devices.gpu_detection import find_gpu


def add_builds(
    judgements: Sequence[Judgement],
    sources: Mapping[str, str],
    judged: JudgedUnit,
    targets: Sequence[str],
) -> list[Judgement]:
    """Return the judgements with those of `targets` that are of the task's language: a candidate
    that does not compile for one of them has not come through. `sources` are by their digests.
    """
    own_targets = [
        target for target in targets if target_dialect(target) is judged.unit.dialect
    ]
    builds: dict[str, list[Build]] = {}
    for digest, source in sources.items():
        unit = put_candidate_in_unit(judged.unit, source)
        builds[digest] = [build_unit(unit, target).build for target in own_targets]

    return [
        _add_builds(judgement, builds[judgement.source])
        if judgement.source in builds
        else judgement
        for judgement in judgements
    ]


def _add_builds(judgement: Judgement, builds: Sequence[Build]) -> Judgement:
    by_target = {build.target: _is_built(build) for build in builds}
    judgement = replace(judgement, by_target=by_target)
    if all(by_target.values()):
        return judgement
    words = (judgement.call_err_msg, describe_failures(builds))
    return replace(
        judgement,
        pass_call=False,
        pass_exe=False,
        call_err_msg="\n".join(word for word in words if word),
    )


def _is_built(build: Build) -> bool:
    return build.pass_call.status is Status.PASS


def add_times(
    judgements: Sequence[Judgement],
    sources: Mapping[str, str],
    judged: JudgedUnit,
    device: str,
) -> list[Judgement]:
    """Return the judgements with what the right ones take on a GPU. `sources` are by their
    digests.
    """
    right = {judgement.source for judgement in judgements if judgement.pass_exe}
    digests = [digest for digest in sources if digest in right]
    gpu = find_gpu(device)
    if not digests or gpu is None:
        return list(judgements)

    taken = time_sources(gpu, judged, [sources[digest] for digest in digests])
    times = dict(zip(digests, taken, strict=True))
    return [
        _add_time(judgement, times[judgement.source])
        if judgement.source in times
        else judgement
        for judgement in judgements
    ]


def _add_time(judgement: Judgement, time: SourceTime) -> Judgement:
    return replace(
        judgement,
        pass_perf=time.passes,
        milliseconds=time.milliseconds,
        reference_milliseconds=time.reference_milliseconds,
        perf_msg=time.message,
    )
