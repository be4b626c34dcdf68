"""Compare two runs of one program, launch by launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crawler.validate.programs.runs.launch_log import LoggedLaunch
from crawler.validate.programs.runs.program_runs import ProgramRun

TIMEOUT: Final = "timeout"
_ENDLESS_RATIO: Final = 10
"""How many times longer than the same launch elsewhere one takes that comes to no end."""


def pair_launches(
    run: ProgramRun, other: ProgramRun
) -> Iterator[tuple[LoggedLaunch, LoggedLaunch]]:
    """Yield the launches of two runs side by side, test by test where there are tests, each as
    long as they are of the same instantiation.
    """
    other_launches = _group_by_test(other.log.launches)
    for test, launches in _group_by_test(run.log.launches).items():
        for launch, same in zip(launches, other_launches.get(test, ()), strict=False):
            if launch.instance != same.instance:
                break
            yield launch, same


def find_first_difference(run: ProgramRun, other: ProgramRun) -> LoggedLaunch | None:
    """Return the first launch of `run` that wrote something else, or came to another end."""
    for launch, same in pair_launches(run, other):
        if launch.is_finished and same.is_finished:
            if launch.written != same.written:
                return launch
            continue

        # whichever was at its end when its time had come may only have been slow
        is_endless = launch.find_finding(TIMEOUT) is not None
        is_slow = launch.seconds < _ENDLESS_RATIO * same.seconds
        if launch.is_finished or (is_endless and is_slow):
            return None
        return launch if same.is_finished else None

    return None


def is_repeatable(run: ProgramRun, again: ProgramRun) -> bool:
    """Tell whether two runs of the same did the same, as far as both came."""
    return all(
        launch.written == same.written
        for launch, same in pair_launches(run, again)
        if launch.is_finished and same.is_finished
    )


def _group_by_test(launches: Iterable[LoggedLaunch]) -> dict[int, list[LoggedLaunch]]:
    groups: dict[int, list[LoggedLaunch]] = {}
    for launch in launches:
        groups.setdefault(launch.test, []).append(launch)

    return groups
