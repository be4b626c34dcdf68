"""Right candidates are timed beside their reference, by a device that stands for NVIDIA's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.dataset.programs.harness_programs import JudgedUnit
from crawler.judging.candidate_unit import make_candidate_unit
from crawler.judging.timed_sources import SourceTime, choose_timed_case, time_sources
from crawler.model import Dialect
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does
from tests.stand_ins.timed_gpu import install_timed_gpu

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
UNIT = kernels.unit(Dialect.CUDA)
PLAIN = UNIT.source.partition("\n")[2]
WORK = "{ work(a, out, i); }\n__device__ inline void body(is<1>"
assert PLAIN.count(WORK) == 1


def write_otherwise(work: str) -> str:
    """Return the kernel with other words in the place of its work."""
    return PLAIN.replace(WORK, WORK.replace("work(a, out, i);", work))


SLOW = write_otherwise("for (volatile int k = 0; k < 9999; ++k) {} work(a, out, i);")
IDLE_WHEN_TIMED = write_otherwise("if (times < 3) work(a, out, i);")
HALF = write_otherwise("if (i % 2) work(a, out, i);")
BROKEN = write_otherwise("work(a, out);")


@pytest.fixture
def judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[SourceTime]]:
    """Return what sources take beside a reference."""
    gpu = install_timed_gpu(tmp_path, monkeypatch)

    def time_beside(reference: str, *sources: str) -> list[SourceTime]:
        blobs = Blobs()
        unit = make_candidate_unit(UNIT, UNIT.source.replace(PLAIN, reference))
        suite = kernels.suite_of(Does.ITS_WORK, unit, blobs)
        judged = JudgedUnit(unit=unit, suite=suite, blobs=blobs, name="test_k")
        return time_sources(gpu, judged, sources)

    return time_beside


def test_what_is_slower_than_its_reference_does_not_pass(
    judge: Callable[..., list[SourceTime]],
) -> None:
    slow, idle, half, broken = judge(PLAIN, SLOW, IDLE_WHEN_TIMED, HALF, BROKEN)
    assert slow.passes is False
    assert slow.milliseconds > 2 * slow.reference_milliseconds > 0
    assert slow.message.startswith("slower: ")
    # a time of work that was not done is none
    assert (idle.passes, idle.milliseconds) == (False, -1.0)
    assert idle.message == "timed-wrong"
    assert (half.passes, half.milliseconds) == (None, -1.0)
    assert half.message == "wrong-value"
    assert (broken.passes, broken.milliseconds) == (None, -1.0)
    assert broken.message.startswith("compile-error: ")


def test_what_is_faster_passes(judge: Callable[..., list[SourceTime]]) -> None:
    (fast,) = judge(SLOW, PLAIN)
    assert fast.passes is True
    assert 0 < 2 * fast.milliseconds < fast.reference_milliseconds
    assert "the reference" in fast.message


def test_nothing_is_said_beside_a_reference_that_does_not_run(
    judge: Callable[..., list[SourceTime]],
) -> None:
    (time,) = judge(HALF, PLAIN)
    assert (time.passes, time.reference_milliseconds) == (None, -1.0)
    assert time.message == "the reference: wrong-value"


def test_a_case_that_no_export_shows_is_timed_where_there_is_one() -> None:
    blobs = Blobs()
    suite = kernels.suite_of(Does.ITS_WORK, UNIT, blobs)
    assert choose_timed_case(suite).name == "ordinary"
    ordinary, smallest = suite.cases
    hidden = replace(suite, cases=(ordinary, replace(smallest, hidden=True)))
    assert choose_timed_case(hidden).name == "smallest"
