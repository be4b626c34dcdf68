"""What a time is held against: what the operator states of that model and partition, else the
first sound one there.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.model import Behaviour, Performance, Run, Status, Toolchain, Verdict
from crawler.validate.devices.gpu_detection import Gpu
from storage.open import Storage
from tests.plain import plain_unit
from workers.reuse.timing_baselines import find_baseline, remember_first_baseline

MI210 = Gpu(
    runtime="rocm",
    index=0,
    name="AMD Instinct MI210",
    arch="gfx90a",
    library=Path("/lib/none.so"),
)
MI250X = replace(MI210, name="AMD Instinct MI250X")
UNIT = plain_unit("__global__ void k() {}")
MEASURED = Performance(
    case="large",
    launches=60,
    median_ms=2.5,
    spread=0.01,
    host_ms=2.6,
    batch=1,
    bytes_moved=8,
    bandwidth=3.0,
    share=None,
    floor_ms=0.1,
)
RUN = Run(
    unit=UNIT.digest,
    device=MI210.device,
    toolchain=Toolchain(compiler="hipcc 6.2"),
    pass_exe=Verdict(status=Status.PASS),
    behaviour=Behaviour.DETERMINISTIC,
    suite="s",
    pass_perf=Verdict(status=Status.SKIPPED, code="no-baseline"),
    performance=MEASURED,
)


def test_the_first_sound_time_is_the_baseline_of_later_ones_on_the_same_model(
    storage: Storage,
) -> None:
    assert find_baseline(storage, None, MI210, UNIT, "s") is None
    remember_first_baseline(storage, MI210, RUN)
    baseline = find_baseline(storage, None, MI210, UNIT, "s")
    assert baseline
    assert (baseline.milliseconds, baseline.threshold) == (2.5, 1.05)
    assert "hipcc 6.2" in baseline.source
    # the same offload arch, another model; the same model, another mode of its partitions;
    # other cases
    assert find_baseline(storage, None, MI250X, UNIT, "s") is None
    assert (
        find_baseline(storage, None, replace(MI210, partition="CPX/NPS4"), UNIT, "s")
        is None
    )
    assert find_baseline(storage, None, MI210, UNIT, "t") is None


@pytest.mark.parametrize(
    "run",
    [
        replace(RUN, pass_perf=Verdict(status=Status.FAIL, code="impossible")),
        replace(RUN, pass_perf=Verdict(status=Status.SKIPPED, code="few-launches")),
        replace(RUN, pass_exe=Verdict(status=Status.FAIL, code="wrong-value")),
        replace(RUN, performance=None),
        replace(RUN, pass_perf=None),
    ],
)
def test_a_time_that_is_not_sound_is_no_baseline(storage: Storage, run: Run) -> None:
    remember_first_baseline(storage, MI210, run)
    assert find_baseline(storage, None, MI210, UNIT, "s") is None


def test_what_the_operator_states_comes_first(storage: Storage, tmp_path: Path) -> None:
    remember_first_baseline(storage, MI210, RUN)
    line = {
        "unit": UNIT.digest,
        "model": MI210.name,
        "milliseconds": 1.5,
        "threshold": 1.2,
        "source": "vendor library",
    }
    file = tmp_path / "baselines.jsonl"
    file.write_text(json.dumps(line) + "\n\n")
    baseline = find_baseline(storage, file, MI210, UNIT, "s")
    assert baseline
    assert (baseline.milliseconds, baseline.threshold, baseline.source) == (
        1.5,
        1.2,
        "vendor library",
    )
    assert find_baseline(storage, file, MI250X, UNIT, "s") is None
    # that of the unit that it was ported from is its own
    ported = replace(plain_unit("hip"), ported_from=UNIT.digest)
    assert find_baseline(storage, file, MI210, ported, "s") == baseline


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        '{"unit": "u"}',
        '{"unit": "u", "model": "m", "milliseconds": 1, "x": 2}',
    ],
)
def test_a_file_that_states_none_is_the_operators_mistake(
    storage: Storage, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_text(text)
    with pytest.raises(Misconfigured, match="a JSON object a line"):
        find_baseline(storage, file, MI210, UNIT, "s")
