"""Stage `validate`: compile a batch of units for a target."""

from __future__ import annotations

import traceback
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.model import Build, Fidelity, KernelUnit, Status, Toolchain, Verdict
from crawler.validate.build import build_unit
from crawler.validate.fidelity.comparison import Comparison
from crawler.validate.fidelity.whole_unit import BuiltUnit, judge_units
from crawler.validate.validator_interface import Built
from storage.ledger.interface import Claim, Outcome
from workers.reuse.parses_and_builds import find_known_build, remember_builds
from workers.tasks.payloads import ValidatePayload
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_PTX: Final = "ptx"


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Compile each unit that this toolchain has not compiled before.

    One that does not compile, or crashes our own code, is a verdict and never ends the batch.
    """
    payload = decode(claim.payload, ValidatePayload)
    encoded_units = storage.blobs.get(payload.units)
    units = decode(encoded_units, tuple[KernelUnit, ...])
    target = payload.target

    known_builds: dict[str, Build] = {}
    results: list[Built] = []
    for unit in units:
        build = find_known_build(storage, unit.digest, target)
        if build:
            known_builds[unit.digest] = build
        else:
            results.append(_build(unit, target))

    results = _compare_with_whole(units, results, target, storage)
    new_builds = _store_objects(storage, results)

    builds = [*known_builds.values(), *new_builds]
    storage.index.put_builds(builds)
    remember_builds(storage, new_builds)
    statuses = Counter(build.pass_call.status.value for build in builds)
    result = {"target": target, "reused": len(known_builds), **statuses}
    return Outcome(result=encode(result).decode())


def _compare_with_whole(
    units: Sequence[KernelUnit],
    results: Sequence[Built],
    target: str,
    storage: Storage,
) -> list[Built]:
    """Return the results, each with how its code agrees with that of the translation unit which
    its unit was cut from.
    """
    units_by_digest = {unit.digest: unit for unit in units}
    by_whole: dict[str, list[Built]] = defaultdict(list)
    for result in results:
        unit = units_by_digest[result.build.unit]
        # a port is other code on purpose, and only PTX is compared
        is_comparable = unit.whole and not unit.ported_from
        if is_comparable and result.build.form == _PTX:
            by_whole[unit.whole].append(result)

    compared: dict[str, Built] = {}
    for whole, group in by_whole.items():
        pairs = [(units_by_digest[result.build.unit], result) for result in group]
        comparisons = _judge(pairs, whole, target, storage)
        for result, comparison in zip(group, comparisons, strict=True):
            build = replace(
                result.build,
                fidelity=comparison.fidelity,
                difference=comparison.difference,
            )
            compared[build.unit] = replace(result, build=build)

    return [compared.get(result.build.unit, result) for result in results]


def _judge(
    pairs: Sequence[BuiltUnit], whole: str, target: str, storage: Storage
) -> list[Comparison]:
    """Compare units with the text `whole`; what goes wrong costs the comparison, not the builds."""
    try:
        return judge_units(pairs, storage.blobs.get(whole).decode(), target)
    except Misconfigured:
        raise
    except Exception as error:
        reason = f"internal: {type(error).__name__}: {error}"
        return [Comparison(Fidelity.NOT_COMPARABLE, reason)] * len(pairs)


def _store_objects(storage: Storage, results: Sequence[Built]) -> list[Build]:
    """Store the objects in one go, and return the builds with their digests."""
    objects = [result.object for result in results if result.object]
    digests = iter(storage.blobs.put_many(objects))

    builds = []
    for result in results:
        build = result.build
        if result.object:
            build = replace(build, object_digest=next(digests))
        builds.append(build)

    return builds


def _build(unit: KernelUnit, target: str) -> Built:
    try:
        return build_unit(unit, target)
    except Misconfigured:
        raise
    except Exception:
        message = traceback.format_exc()
        verdict = Verdict(status=Status.FAIL, code="internal", message=message)
        build = Build(
            unit=unit.digest,
            target=target,
            toolchain=Toolchain(compiler=""),
            pass_call=verdict,
        )
        return Built(build=build)
