"""Tasks and messages for tests of what a ledger does for a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.ledger.dispatch.dispatch_selection import DispatchLimits
from storage.ledger.dispatch.dispatch_window import DispatchMessage, SqlDispatchWindow
from storage.ledger.interface import Claim, Lane, Stage, TaskSpec

if TYPE_CHECKING:
    from tests.contract.conftest import World

ALL = tuple(Stage)


def task(
    key: str,
    stage: Stage = Stage.CLONE,
    *,
    account: str = "",
    host: str = "",
    revision: str = "",
    version: str = "1",
) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=key,
        version=version,
        revision=revision,
        queue=stage.value,
        payload=key,
        subject=key,
        account=account,
        host=host,
    )


def window(world: World) -> SqlDispatchWindow:
    return SqlDispatchWindow(world.engine, lambda: world.now)


def due(
    world: World, queue: str = "clone", *, lost_after: float = 10, **share: int
) -> list[DispatchMessage]:
    return list(
        window(world).take_due_messages(
            {Lane(queue): lost_after}, DispatchLimits(**share)
        )
    )


def claim_task(world: World, message: DispatchMessage) -> Claim:
    claim = world.ledger.claim_dispatched("me", message.task, message.generation, 60)
    assert claim
    return claim
