"""Run the stage of a claimed task, independent of who delivered it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from storage.ledger.interface import Claim, Outcome, Stage
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_MODULES: Final = {
    Stage.LIST: "workers.stages.listing",
    Stage.CLONE: "workers.stages.clone",
    Stage.BUILD_DB: "workers.stages.build_db",
    Stage.EXTRACT: "workers.stages.extract",
    Stage.LINK: "workers.stages.link",
    Stage.PORT: "workers.stages.port",
    Stage.VALIDATE: "workers.stages.validate",
    Stage.VALIDATE_CPU: "workers.stages.validate_cpu",
    Stage.VALIDATE_DEVICE: "workers.stages.validate_device",
}


def run_stage(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run the claimed task's stage and return what the ledger is to be told; raises what went
    wrong.
    """
    outcome: Outcome = importlib.import_module(_MODULES[claim.stage]).run(
        claim, storage, workspace
    )
    return outcome
