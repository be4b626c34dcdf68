"""A run on the CPU is found again exactly where unit and evidence are the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Behaviour, Launch, Run, Span, Status, Toolchain, Verdict
from crawler.validate.cpu.validation import InstantiationBudget
from storage.open import Storage
from tests.plain import HERE, plain_kernel, plain_unit
from workers.reuse.cpu_runs import RunConditions, find_known_runs, remember_runs

LAUNCH = Launch(span=HERE, kernel_name="k", grid="1", block="32")
KERNEL = plain_kernel(plain_unit("__global__ void k() {}"), launches=(LAUNCH,))
RUN = Run(
    unit=KERNEL.unit.digest if KERNEL.unit else "",
    device="cpu",
    toolchain=Toolchain(compiler="clang 19"),
    pass_exe=Verdict(status=Status.CONSISTENT),
    behaviour=Behaviour.DETERMINISTIC,
)


def read_nothing(_path: str) -> None:
    return None


BUDGET = InstantiationBudget(instantiations=8, seconds=60.0)
PLAIN = RunConditions(read_file=read_nothing, strength_seconds=0.0, budget=BUDGET)


def test_a_run_is_found_for_the_same_kernel(storage: Storage) -> None:
    assert not find_known_runs(storage, KERNEL, PLAIN)
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    assert find_known_runs(storage, KERNEL, PLAIN) == (RUN,)


def test_an_edit_above_a_kernel_moves_it_and_its_run_is_still_found(
    storage: Storage,
) -> None:
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    lower = Span(path=HERE.path, line=40, end_line=41, offset=900, end_offset=901)
    moved = replace(KERNEL, span=lower, launches=(replace(LAUNCH, span=lower),))
    assert find_known_runs(storage, moved, PLAIN) == (RUN,)


def test_the_same_text_in_another_file_is_other_evidence(storage: Storage) -> None:
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    moved = replace(KERNEL, span=replace(HERE, path="other.cu"))
    assert not find_known_runs(storage, moved, PLAIN)


def test_what_says_nothing_of_a_run_does_not_matter(storage: Storage) -> None:
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    tagged = replace(KERNEL, tags=("generated",), borrowed_from="b.cu", reason="why")
    assert find_known_runs(storage, tagged, PLAIN) == (RUN,)


def test_another_launch_is_other_evidence(storage: Storage) -> None:
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    wider = replace(KERNEL, launches=(replace(LAUNCH, block="64"),))
    assert not find_known_runs(storage, wider, PLAIN)


def test_a_run_without_its_strength_does_not_serve_where_that_is_asked_for(
    storage: Storage,
) -> None:
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    measured = replace(PLAIN, strength_seconds=5.0)
    assert not find_known_runs(storage, KERNEL, measured)


def test_runs_of_fewer_instantiations_do_not_serve_where_more_are_asked_for(
    storage: Storage,
) -> None:
    remember_runs(storage, KERNEL, [RUN], PLAIN)
    with_more = replace(PLAIN, budget=replace(BUDGET, instantiations=9))
    assert not find_known_runs(storage, KERNEL, with_more)


def test_a_run_whose_cases_are_gone_is_made_again(storage: Storage) -> None:
    with_cases = replace(RUN, suite="0" * 64)
    remember_runs(storage, KERNEL, [RUN, with_cases], PLAIN)
    assert not find_known_runs(storage, KERNEL, PLAIN)
    suite_digest = storage.blobs.put(b"{}")
    with_cases = replace(RUN, suite=suite_digest)
    remember_runs(storage, KERNEL, [RUN, with_cases], PLAIN)
    assert find_known_runs(storage, KERNEL, PLAIN) == (RUN, with_cases)


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(status=Status.SKIPPED, code="no-sandbox"),
        Verdict(status=Status.FAIL, code="internal"),
        Verdict(status=Status.FAIL, code="host-compile-timeout"),
        Verdict(status=Status.FAIL, code="no-compiler"),
    ],
)
def test_what_may_come_otherwise_is_tried_again(
    storage: Storage, verdict: Verdict
) -> None:
    remember_runs(storage, KERNEL, [RUN, replace(RUN, pass_exe=verdict)], PLAIN)
    assert not find_known_runs(storage, KERNEL, PLAIN)
