"""Baselines of kernel times: stated by the operator, or the first sound measurement on the same
device.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import KernelUnit, Run, Status
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.judgement.performance import Baseline

if TYPE_CHECKING:
    from storage.open import Storage

_RIGHT: Final = (Status.PASS, Status.CONSISTENT)


class StatedBaseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the operator's file: one kernel on one model of a device, in one mode of its
    partitions.
    """

    unit: str
    """Digest of a unit, or of the one that it was ported from."""
    model: str
    """As the driver calls it: two models of one offload arch are not equally fast."""
    milliseconds: float
    partition: str = ""
    """`SPX/NPS1`, `MIG 1g.10gb`; empty where no tool of its vendor tells one."""
    threshold: float = 1.05
    source: str = "stated"


def find_baseline(
    storage: Storage, file: Path | None, gpu: Gpu, unit: KernelUnit, suite: str
) -> Baseline | None:
    """Return what the time of a unit's largest case is held against on this GPU; `None` where
    nothing is known.

    Raises `Misconfigured` where the operator's `file` cannot be read.
    """
    units = {unit.digest, unit.ported_from} - {""}
    for line in _stated(file) if file else ():
        if line.unit in units and (line.model, line.partition) == (
            gpu.name,
            gpu.partition,
        ):
            return Baseline(
                milliseconds=line.milliseconds,
                source=line.source,
                threshold=line.threshold,
            )
    kept = storage.source_memory.recall(_key(gpu, unit.digest, suite))
    return decode(kept, Baseline) if kept else None


def remember_first_baseline(storage: Storage, gpu: Gpu, run: Run) -> None:
    """Let a time that nothing was held against, and that nothing is wrong with, be what later
    ones are held against.
    """
    verdict, measured = run.pass_perf, run.performance
    if (
        verdict is None
        or measured is None
        or verdict.code != "no-baseline"
        or run.pass_exe.status not in _RIGHT
    ):
        return
    source = f"first run ({run.toolchain.compiler}, driver {gpu.driver})"
    kept = Baseline(milliseconds=measured.median_ms, source=source)
    storage.source_memory.remember(_key(gpu, run.unit, run.suite), encode(kept))


def _key(gpu: Gpu, unit: str, suite: str) -> str:
    return f"baseline {unit} {suite} {gpu.device} {gpu.details}"


@cache
def _stated(file: Path) -> tuple[StatedBaseline, ...]:
    try:
        lines = [line for line in file.read_bytes().splitlines() if line.strip()]
        return tuple(msgspec.json.decode(line, type=StatedBaseline) for line in lines)
    except (OSError, msgspec.DecodeError) as error:
        told = "give a JSON object a line: unit, model, partition, milliseconds, threshold, source"
        raise Misconfigured(
            f"{file} holds no baselines ({error}): {told}", code="bad-baselines"
        ) from error
