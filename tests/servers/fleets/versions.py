"""As the nursery, for one of two installed versions: what a stage stores is the version of the
code that ran it.

Takes a third command: `crawl NAME BATCHES` asks for one as this version would; the answer is
its id.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from crawler.extract.version import VERSION
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from storage.open import Storage
from tests.servers.fleets import nursery
from workers.tasks.task_specs import make_task_spec
from workers.workspace.task_workspace import Workspace


def make_spec(stage: Stage, subject: str, **more: Any) -> TaskSpec:
    return make_task_spec(stage, {"of": subject, **more}, subject)


def pretend(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    payload = json.loads(claim.payload)
    match claim.stage:
        case Stage.LIST:
            batches = tuple(
                make_spec(Stage.EXTRACT, payload["of"], batch=number)
                for number in range(payload["batches"])
            )
            return Outcome(
                children=batches,
                continuation=make_spec(Stage.LINK, payload["of"]),
                result=VERSION,
            )
        case Stage.EXTRACT:
            time.sleep(float(os.environ["PRETENDED_SECONDS"]))
        case Stage.LINK:
            joined = {result for _, result in storage.ledger.children_results(claim)}
            assert joined == {VERSION}, joined
            return Outcome(
                children=(make_spec(Stage.PORT, payload["of"]),), result=VERSION
            )
    return Outcome(result=VERSION)


def ask(words: list[str], storage: Storage) -> str:
    name, batches = words
    return storage.ledger.open_crawl(
        (name,), (make_spec(Stage.LIST, name, batches=int(batches)),)
    )


if __name__ == "__main__":
    nursery.main(pretend, ("list", "extract", "link", "port"), ask)
