"""What the closing table counts."""

from __future__ import annotations

from pathlib import Path

from storage.ledger import Outcome, Stage, TaskSpec
from storage.open import Storage, open_storage
from workers.summary import funnel


def asked(stage: Stage, version: str) -> TaskSpec:
    return TaskSpec(stage=stage, key="k", version=version, queue="q", payload="{}", subject="s")


def crawl(storage: Storage, version: str) -> str:
    found = storage.ledger.open_crawl(("pypi:mmcv",), (asked(Stage.LIST, version),))
    listing = storage.ledger.claim("me", (Stage.LIST,), 60)
    assert listing
    storage.ledger.finish(listing, Outcome(children=(asked(Stage.CLONE, version),)))
    cloning = storage.ledger.claim("me", (Stage.CLONE,), 60)
    assert cloning
    below = (asked(Stage.BUILD_DB, version),) if version == "old" else ()
    storage.ledger.finish(cloning, Outcome(children=below))
    return found


def test_a_crawl_counts_what_this_version_did_of_it(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        mine = crawl(storage, "old")
        building = storage.ledger.claim("me", (Stage.BUILD_DB,), 60)
        assert building
        storage.ledger.fail(building, "internal", "an old bug")
        assert (funnel(storage, mine).repositories, funnel(storage, mine).failures) == (1, {"internal": 1})
        assert crawl(storage, "new") == mine
        for which in (mine, ""):
            came_to = funnel(storage, which)
            assert (came_to.repositories, came_to.failures, came_to.ended) == (1, {}, 1)
