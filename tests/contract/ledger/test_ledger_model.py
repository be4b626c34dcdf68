"""Any history of the ledger, held against a plain model of it: nothing lost, nothing done twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.contract.ledger.ledger_machine import LedgerMachine

if TYPE_CHECKING:
    from tests.contract.conftest import Model, World


def test_any_history_is_as_the_model_says(
    new_world: Callable[[], World], model_of: type[Model]
) -> None:
    LedgerMachine.new_world, LedgerMachine.model_of = staticmethod(new_world), model_of
    # shrinking a history takes minutes: turn it on where one fails
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    embedded = new_world().engine.dialect.name == "sqlite"
    checks = settings(
        max_examples=40 if embedded else 10,
        stateful_step_count=50,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(LedgerMachine, settings=checks)
