"""Which of a kernel's numbers are never larger than which others in its project's own launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

from crawler.model import Kernel
from crawler.validate.inputs.trials.problems import OVERWRITE
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.recordings.recorded_launch import (
    RecordedLaunch,
    RecordedParameter,
)

Order = tuple[str, str]
"""A number by its name, and one that it is never larger than."""
# a program describes a parameter's type by a letter for its kind, and more
_KINDS: Final = {"s": True, "u": False}
"""Of whole numbers, and whether they have a sign."""


def list_kept_orders(
    kernel: Kernel, recordings: Sequence[RecordedLaunch]
) -> frozenset[Order]:
    """Return the orders that hold in all `recordings`; none where nothing was recorded.

    A signal is never longer than the ring that it is written into: nobody says so, but whoever
    launches the kernel.
    """
    launches = [_read_numbers(kernel, recording) for recording in recordings]
    if not launches:
        return frozenset()

    return frozenset(
        (less, more)
        for less, more in permutations(launches[0], 2)
        if all(
            less in numbers and more in numbers and numbers[less] <= numbers[more]
            for numbers in launches
        )
    )


def breaks_kept_orders(result: TrialResult, orders: frozenset[Order]) -> bool:
    """Tell whether threads meet in one place in a run whose numbers are not in these orders of the
    kernel's own launches.
    """
    has_overwriting = result.execution.find_finding(OVERWRITE) is not None
    return has_overwriting and not keeps_orders(
        orders, result.trial.configuration.scalars
    )


def keeps_orders(orders: frozenset[Order], scalars: Mapping[str, object]) -> bool:
    """Tell whether numbers that a search chose are in these orders, too."""
    for less, more in orders:
        one, other = scalars.get(less), scalars.get(more)
        if isinstance(one, int) and isinstance(other, int) and one > other:
            return False

    return True


def _read_numbers(kernel: Kernel, recording: RecordedLaunch) -> dict[str, int]:
    if len(kernel.parameters) != len(recording.parameters):
        return {}

    return {
        parameter.name: _read_number(passed)
        for parameter, passed in zip(
            kernel.parameters, recording.parameters, strict=True
        )
        if passed.description[:1] in _KINDS
    }


def _read_number(parameter: RecordedParameter) -> int:
    is_signed = _KINDS[parameter.description[0]]
    return int.from_bytes(parameter.content, "little", signed=is_signed)
