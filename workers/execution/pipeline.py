"""Run the stage of a claimed task, independent of who delivered it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from storage.ledger.interface import Claim, Outcome, Stage
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_STAGE_MODULES: Final = {
    Stage.LIST: "workers.stages.listing",
    Stage.CLONE: "workers.stages.clone",
    Stage.BUILD_DB: "workers.stages.build_db",
    Stage.EXTRACT: "workers.stages.extract",
    Stage.LINK: "workers.stages.link",
    Stage.PORT: "workers.stages.port",
    Stage.VALIDATE: "workers.stages.validate",
    Stage.VALIDATE_CPU: "workers.stages.validate_cpu",
    Stage.VALIDATE_DEVICE: "workers.stages.validate_device",
    Stage.JUDGE: "workers.stages.judge",
}


def run_stage(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run the claimed task's stage and return its outcome; raises what went wrong."""
    # a worker loads only the stages that it serves
    module = importlib.import_module(_STAGE_MODULES[claim.stage])
    outcome: Outcome = module.run(claim, storage, workspace)
    return outcome
