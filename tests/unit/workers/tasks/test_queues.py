"""A worker serves the queues that its patterns name, and says which it cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import Misconfigured
from storage.ledger.interface import Lane, Stage
from workers.tasks.queues import broker_queue, match_queues, queue_of, stage_of

AVAILABLE = ("clone", "extract", "validate.build", "validate.cpu")


def test_without_a_pattern_a_worker_serves_all() -> None:
    assert match_queues((), AVAILABLE) == AVAILABLE


def test_patterns_choose_queues_in_the_machines_own_order() -> None:
    assert match_queues(("validate.*", "clone"), AVAILABLE) == (
        "clone",
        "validate.build",
        "validate.cpu",
    )


def test_case_matters_in_a_pattern() -> None:
    with pytest.raises(Misconfigured):
        match_queues(("Clone",), AVAILABLE)


def test_each_pattern_must_name_a_queue() -> None:
    with pytest.raises(
        Misconfigured, match="cannot serve link; it can serve clone"
    ) as raised:
        match_queues(("clone", "link"), AVAILABLE)
    assert raised.value.code == "cannot-serve"
    assert "see `kernelset doctor`" in str(raised.value)


@pytest.mark.parametrize("queue", ["validate.rocm.gfx942", "judge.cuda.sm_90"])
def test_a_queue_of_a_gpu_wants_the_gpu_to_be_named(queue: str) -> None:
    with pytest.raises(Misconfigured, match="--gpu 0"):
        match_queues((queue,), AVAILABLE)


def test_a_machine_that_can_do_nothing_says_so() -> None:
    with pytest.raises(Misconfigured, match="it can serve nothing"):
        match_queues((), ())


@given(
    runtime=st.sampled_from(("rocm", "cuda")),
    arch=st.from_regex(r"[a-z]{2,3}_?[0-9a-f]{2,5}", fullmatch=True),
)
def test_a_queue_of_any_device_is_served_by_the_stage_for_devices(
    runtime: str, arch: str
) -> None:
    for stage in (Stage.VALIDATE_DEVICE, Stage.JUDGE):
        assert stage_of(queue_of(stage, f"{runtime}:{arch}")) is stage


def test_lanes_of_different_accounts_are_different_queues_of_the_broker() -> None:
    lanes = [Lane("clone"), Lane("clone", "12"), Lane("extract", "12")]
    assert len({broker_queue(lane) for lane in lanes}) == len(lanes)
