"""States and stages as other rooms rely on them."""

from __future__ import annotations

from storage.ledger.interface import UNFINISHED_STATES, Lane, Stage, State


def test_a_task_is_finished_once_it_has_ended_in_any_way() -> None:
    finished = {state for state in State if state.is_finished}
    assert finished == {State.DONE, State.REJECTED, State.FAILED, State.CANCELLED}
    assert set(UNFINISHED_STATES) == set(State) - finished


def test_stages_are_in_the_order_of_the_pipeline() -> None:
    order = [stage.value for stage in Stage]
    assert order[:4] == ["list", "clone", "build-db", "extract"]
    assert order.index("port") < order.index("validate") < order.index("validate.cpu")


def test_a_lane_without_a_revision_is_for_any() -> None:
    assert Lane("q") == ("q", "")
    assert Lane("q")._asdict() == {"queue": "q", "revision": ""}
