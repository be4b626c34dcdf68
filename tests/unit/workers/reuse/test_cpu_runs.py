"""A run on the CPU is found again exactly where unit and evidence are the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Behaviour, Launch, Run, Span, Status, Toolchain, Verdict
from storage.open import Storage
from tests.plain import HERE, plain_kernel, plain_unit
from workers.reuse.cpu_runs import find_known_run, remember_run

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


def test_a_run_is_found_for_the_same_kernel(storage: Storage) -> None:
    assert find_known_run(storage, KERNEL, read_nothing, 0.0) is None
    remember_run(storage, KERNEL, RUN, read_nothing, 0.0)
    assert find_known_run(storage, KERNEL, read_nothing, 0.0) == RUN


def test_an_edit_above_a_kernel_moves_it_and_its_run_is_still_found(
    storage: Storage,
) -> None:
    remember_run(storage, KERNEL, RUN, read_nothing, 0.0)
    lower = Span(path=HERE.path, line=40, end_line=41, offset=900, end_offset=901)
    moved = replace(KERNEL, span=lower, launches=(replace(LAUNCH, span=lower),))
    assert find_known_run(storage, moved, read_nothing, 0.0) == RUN


def test_the_same_text_in_another_file_is_other_evidence(storage: Storage) -> None:
    remember_run(storage, KERNEL, RUN, read_nothing, 0.0)
    moved = replace(KERNEL, span=replace(HERE, path="other.cu"))
    assert find_known_run(storage, moved, read_nothing, 0.0) is None


def test_what_says_nothing_of_a_run_does_not_matter(storage: Storage) -> None:
    remember_run(storage, KERNEL, RUN, read_nothing, 0.0)
    tagged = replace(KERNEL, tags=("generated",), borrowed_from="b.cu", reason="why")
    assert find_known_run(storage, tagged, read_nothing, 0.0) == RUN


def test_another_launch_is_other_evidence(storage: Storage) -> None:
    remember_run(storage, KERNEL, RUN, read_nothing, 0.0)
    wider = replace(KERNEL, launches=(replace(LAUNCH, block="64"),))
    assert find_known_run(storage, wider, read_nothing, 0.0) is None


def test_a_run_without_its_strength_does_not_serve_where_that_is_asked_for(
    storage: Storage,
) -> None:
    remember_run(storage, KERNEL, RUN, read_nothing, 0.0)
    assert find_known_run(storage, KERNEL, read_nothing, 5.0) is None


def test_a_run_whose_cases_are_gone_is_made_again(storage: Storage) -> None:
    with_cases = replace(RUN, suite="0" * 64)
    remember_run(storage, KERNEL, with_cases, read_nothing, 0.0)
    assert find_known_run(storage, KERNEL, read_nothing, 0.0) is None
    suite_digest = storage.blobs.put(b"{}")
    with_cases = replace(RUN, suite=suite_digest)
    remember_run(storage, KERNEL, with_cases, read_nothing, 0.0)
    assert find_known_run(storage, KERNEL, read_nothing, 0.0) == with_cases


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
    remember_run(storage, KERNEL, replace(RUN, pass_exe=verdict), read_nothing, 0.0)
    assert find_known_run(storage, KERNEL, read_nothing, 0.0) is None
