"""Which of several runs speaks for a device, and for each instantiation there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, TypeVar


class _HasDevice(Protocol):
    @property
    def device(self) -> str: ...


class _HasInstantiation(_HasDevice, Protocol):
    @property
    def unit(self) -> str: ...
    @property
    def instantiation(self) -> str: ...


RunLike = TypeVar("RunLike", bound=_HasDevice)
LabelledRun = TypeVar("LabelledRun", bound=_HasInstantiation)


def select_run_per_device(runs: Iterable[RunLike]) -> list[RunLike]:
    """Return the run that speaks for each device, ordered by device: the first one in `runs`.

    Callers list the runs of a kernel's own unit before those of its ports.
    """
    first_runs: dict[str, RunLike] = {}
    for run in runs:
        first_runs.setdefault(run.device, run)
    return [first_runs[device] for device in sorted(first_runs)]


def select_run_per_instantiation(
    labels: Collection[str], runs: Iterable[LabelledRun]
) -> dict[str, dict[str, LabelledRun | None]]:
    """Return device to label to the run of that instantiation; `None` for one that was not run.

    `runs` are listed as for `select_run_per_device`. Only those of the unit that speaks for a
    device count, and only devices on which anything was run are named.
    """
    run_list = list(runs)
    run_per_label: dict[str, dict[str, LabelledRun | None]] = {}

    for first in select_run_per_device(run_list):
        own_runs = {
            run.instantiation: run
            for run in run_list
            if (run.device, run.unit) == (first.device, first.unit)
        }
        run_per_label[first.device] = {label: own_runs.get(label) for label in labels}

    return run_per_label
