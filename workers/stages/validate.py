"""Stage `validate`: compile a batch of units for a target."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import Build, KernelUnit, Status, Toolchain, Verdict
from crawler.validate.build import build_unit
from crawler.validate.validator_interface import Built
from storage.ledger.interface import Claim, Outcome
from workers.reuse.parses_and_builds import find_known_build, remember_builds
from workers.tasks.payloads import ValidatePayload
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Compile each unit that this toolchain has not compiled before.

    One that does not compile, or crashes our own code, is a verdict and never ends the batch.
    """
    payload = decode(claim.payload, ValidatePayload)
    units = decode(storage.blobs.get(payload.units), tuple[KernelUnit, ...])
    known = {
        unit.digest: find_known_build(storage, unit.digest, payload.target)
        for unit in units
    }
    built = [_built(unit, payload.target) for unit in units if not known[unit.digest]]
    objects = iter(storage.blobs.put_many(each.object for each in built if each.object))
    made = [
        replace(each.build, object_digest=next(objects)) if each.object else each.build
        for each in built
    ]
    builds = [*(each for each in known.values() if each), *made]
    storage.index.put_builds(builds)
    remember_builds(storage, made)
    statuses = Counter(each.pass_call.status.value for each in builds)
    reused = len(builds) - len(made)
    return Outcome(
        result=encode({"target": payload.target, "reused": reused, **statuses}).decode()
    )


def _built(unit: KernelUnit, target: str) -> Built:
    try:
        return build_unit(unit, target)
    except Misconfigured:
        raise
    except Exception:
        message = traceback.format_exc()
        verdict = Verdict(status=Status.FAIL, code="internal", message=message)
        return Built(
            build=Build(
                unit=unit.digest,
                target=target,
                toolchain=Toolchain(compiler=""),
                pass_call=verdict,
            )
        )
