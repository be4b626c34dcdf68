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

_RIGHT_STATUSES: Final = (Status.PASS, Status.CONSISTENT, Status.CONDITIONAL)


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
    stated = _find_stated_baseline(file, gpu, unit) if file else None
    if stated:
        return Baseline(
            milliseconds=stated.milliseconds,
            source=stated.source,
            threshold=stated.threshold,
        )

    key = _baseline_key(gpu, unit.digest, suite)
    encoded_baseline = storage.source_memory.recall(key)
    if not encoded_baseline:
        return None
    return decode(encoded_baseline, Baseline)


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


def _find_stated_baseline(
    file: Path, gpu: Gpu, unit: KernelUnit
) -> StatedBaseline | None:
    # who states a time knows the CUDA unit, and what runs on AMD is its port
    digests = {unit.digest, unit.ported_from} - {""}
    for stated in _read_stated_baselines(file):
        is_this_model = stated.model == gpu.name
        is_this_partition = stated.partition == gpu.partition
        if is_this_model and is_this_partition and stated.unit in digests:
            return stated

    return None


@cache
def _read_stated_baselines(file: Path) -> tuple[StatedBaseline, ...]:
    baselines: list[StatedBaseline] = []
    try:
        content = file.read_bytes()
        for line in content.splitlines():
            if line.strip():
                stated = msgspec.json.decode(line, type=StatedBaseline)
                baselines.append(stated)
    except (OSError, msgspec.DecodeError) as error:
        raise Misconfigured(
            f"{file} holds no baselines ({error}): "
            "give a JSON object a line: unit, model, partition, milliseconds, threshold, source",
            code="bad-baselines",
        ) from error

    return tuple(baselines)
