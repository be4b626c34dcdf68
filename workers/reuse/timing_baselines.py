"""Baselines of kernel times.

The operator states them; else the first sound measurement on the same device is one.
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

_RIGHT_STATUSES: Final = (Status.PASS, Status.CONSISTENT)


class StatedBaseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the operator's file: one kernel on one model and partition of a device."""

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
    """Return what the time of a unit's largest case is compared with on this GPU.

    `None` where nothing is known. Raises `Misconfigured` where the operator's `file` cannot be
    read.
    """
    digests = {unit.digest, unit.ported_from} - {""}
    for stated in _read_stated_baselines(file) if file else ():
        is_this_gpu = (stated.model, stated.partition) == (gpu.name, gpu.partition)
        if is_this_gpu and stated.unit in digests:
            return Baseline(
                milliseconds=stated.milliseconds,
                source=stated.source,
                threshold=stated.threshold,
            )
    encoded_baseline = storage.source_memory.recall(
        _baseline_key(gpu, unit.digest, suite)
    )
    return decode(encoded_baseline, Baseline) if encoded_baseline else None


def remember_first_baseline(storage: Storage, gpu: Gpu, run: Run) -> None:
    """Make the time of a run the baseline of later ones, if there was none and it is sound."""
    verdict = run.pass_perf
    performance = run.performance
    if verdict is None or performance is None or verdict.code != "no-baseline":
        return
    if run.pass_exe.status not in _RIGHT_STATUSES:
        return
    source = f"first run ({run.toolchain.compiler}, driver {gpu.driver})"
    baseline = Baseline(milliseconds=performance.median_ms, source=source)
    key = _baseline_key(gpu, run.unit, run.suite)
    storage.source_memory.remember(key, encode(baseline))


def _baseline_key(gpu: Gpu, unit: str, suite: str) -> str:
    return f"baseline {unit} {suite} {gpu.device} {gpu.details}"


@cache
def _read_stated_baselines(file: Path) -> tuple[StatedBaseline, ...]:
    try:
        lines = [line for line in file.read_bytes().splitlines() if line.strip()]
        return tuple(msgspec.json.decode(line, type=StatedBaseline) for line in lines)
    except (OSError, msgspec.DecodeError) as error:
        raise Misconfigured(
            f"{file} holds no baselines ({error}): "
            "give a JSON object a line: unit, model, partition, milliseconds, threshold, source",
            code="bad-baselines",
        ) from error
