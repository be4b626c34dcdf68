"""Tasks for tests of what every ledger does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.ledger.interface import Claim, Ledger, Outcome, Stage, TaskSpec

if TYPE_CHECKING:
    from tests.contract.conftest import World

ALL = tuple(Stage)


MINE = "me"


HERE = ("pypi:mmcv",)


def task(
    key: str, stage: Stage = Stage.LIST, *, version: str = "1", priority: int = 0
) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=key,
        version=version,
        queue="q",
        payload=f'"{key}"',
        subject=f"of {key}",
        priority=priority,
    )


def claim_task(
    ledger: Ledger, *stages: Stage, owner: str = MINE, crawl: str = ""
) -> Claim:
    claim = ledger.claim(owner, stages or ALL, 60, crawl)
    assert claim is not None
    return claim


def finish_with_children(world: World, *keys: str) -> Claim:
    """Finish a root with extract tasks of `keys` and a link after them; return the root's claim."""
    world.ledger.open_crawl(HERE, (task("root"),))
    root = claim_task(world.ledger, Stage.LIST)
    children = tuple(task(key, Stage.EXTRACT) for key in keys)
    assert world.ledger.finish(
        root, Outcome(children=children, continuation=task("join", Stage.LINK))
    )
    return root


def states(world: World) -> dict[str, str]:
    return {
        str(key): str(state) for key, state in world.rows("SELECT key, state FROM task")
    }
