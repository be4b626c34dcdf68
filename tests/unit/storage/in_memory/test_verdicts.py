"""Verdicts in memory: the last one put speaks for a target or a device."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from crawler.codec import encode
from crawler.model import Behaviour, Oracle, Run, Status, Suite, Toolchain, Verdict
from storage.in_memory.verdicts import InMemoryVerdicts
from tests.unit.storage.samples import make_build, make_unit

UNIT = make_unit("text")
SUITE = Suite(unit=UNIT.digest, seed=1, oracle=Oracle.CPU_SIMT, cases=())
SUITE_DIGEST = hashlib.sha256(encode(SUITE)).hexdigest()


def make_run(
    device: str, *, suite: str = "", details: str = "", seconds: float = 0.0
) -> Run:
    return Run(
        unit=UNIT.digest,
        device=device,
        details=details,
        toolchain=Toolchain(compiler="clang", digest="clang"),
        pass_exe=Verdict(status=Status.PASS),
        behaviour=Behaviour.DETERMINISTIC,
        suite=suite,
        seconds=seconds,
    )


def test_the_last_build_of_each_target_is_newest_in_the_order_of_targets() -> None:
    verdicts = InMemoryVerdicts()
    old = make_build(UNIT, "sm_80", "clang")
    amd = make_build(UNIT, "gfx90a")
    new = make_build(UNIT, "sm_80", "nvcc", Status.FAIL)
    verdicts.put_builds([old, new, amd])
    assert verdicts.newest_builds(UNIT.digest) == [amd, new]


def test_putting_an_old_build_again_makes_it_the_newest() -> None:
    verdicts = InMemoryVerdicts()
    by_clang = make_build(UNIT, "sm_80", "clang")
    by_nvcc = make_build(UNIT, "sm_80", "nvcc")
    verdicts.put_builds([by_clang, by_nvcc])
    verdicts.put_builds([by_clang])
    assert verdicts.newest_builds(UNIT.digest) == [by_clang]


def test_builds_of_another_unit_are_not_shown() -> None:
    verdicts = InMemoryVerdicts()
    verdicts.put_builds([make_build(make_unit("other"), "sm_80")])
    assert verdicts.newest_builds(UNIT.digest) == []


def test_a_device_shows_the_last_run_whatever_its_model() -> None:
    verdicts = InMemoryVerdicts()
    first = make_run("cuda:sm_90", details="H100")
    second = make_run("cuda:sm_90", details="H200")
    verdicts.put_runs([first, second])
    assert verdicts.newest_runs(UNIT.digest) == [second]
    again = make_run("cuda:sm_90", details="H100", seconds=2.0)
    verdicts.put_runs([again, make_run("cpu")])
    assert verdicts.newest_runs(UNIT.digest) == [make_run("cpu"), again]


def test_further_runs_stand_behind_the_one_that_speaks_and_go_with_it() -> None:
    verdicts = InMemoryVerdicts()
    first = make_run("cpu")
    further = replace(first, instantiation="int", is_further=True)
    verdicts.put_runs([first, further])
    assert verdicts.newest_runs(UNIT.digest) == [first, further]
    verdicts.put_runs([first])
    assert verdicts.newest_runs(UNIT.digest) == [first]


def test_a_run_of_an_unknown_suite_is_refused_and_nothing_is_changed() -> None:
    verdicts = InMemoryVerdicts()
    runs = [make_run("cpu"), make_run("cuda:sm_90", suite="f" * 64)]
    with pytest.raises(KeyError, match="f" * 64):
        verdicts.put_runs(runs, [SUITE])
    assert verdicts.newest_runs(UNIT.digest) == []
    # the suite was not kept either
    with pytest.raises(KeyError, match=SUITE_DIGEST):
        verdicts.put_runs([make_run("cpu", suite=SUITE_DIGEST)])


def test_a_suite_is_kept_for_later_runs_and_shown_once() -> None:
    verdicts = InMemoryVerdicts()
    verdicts.put_runs([], [SUITE])
    runs = [make_run(device, suite=SUITE_DIGEST) for device in ("cpu", "cuda:sm_90")]
    verdicts.put_runs(runs)
    assert verdicts.suites_of([*runs, make_run("rocm")]) == ((SUITE_DIGEST, SUITE),)
