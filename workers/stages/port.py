"""port: the units of a commit get their HIP twins, and all are dealt into batches to compile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import PortFailed
from crawler.model import Dialect, KernelUnit
from crawler.port.port import port
from crawler.validate.build import dialect_of
from storage.ledger import Claim, Outcome, Stage, TaskSpec
from workers.stages.payloads import PortPayload, ValidatePayload
from workers.stages.tasks import keep, spec, stored_repo, title
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

BATCH: Final = 16
"""Units of one validate task, at most."""
WEIGHT: Final = 48
"""Instantiations of one validate task, unless a single unit has more."""


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Port every unit of the commit; one that cannot be ported is counted by its code, and is no failure."""
    payload = decode(claim.payload, PortPayload)
    repo = stored_repo(storage.blobs, payload.repo)
    wanted = set(decode(storage.blobs.get(payload.units), tuple[str, ...]))
    units = [unit for unit in storage.index.units(repo) if unit.digest in wanted]
    ported, refused = _ported(units)
    storage.index.put_ports(ported)
    return Outcome(
        children=tuple(_batches([*units, *ported], payload.targets, storage, title(repo))),
        result=encode({"units": len(units), "ported": len(ported), "refused": refused}).decode(),
    )


def _ported(units: Sequence[KernelUnit]) -> tuple[list[KernelUnit], Counter[str]]:
    ported: list[KernelUnit] = []
    refused: Counter[str] = Counter()
    for unit in units:
        if unit.dialect is Dialect.HIP:
            continue
        try:
            ported.append(port(unit))
        except PortFailed as error:
            refused[error.code] += 1
    return ported, refused


def _batches(units: Sequence[KernelUnit], targets: Sequence[str], storage: Storage, subject: str) -> Iterator[TaskSpec]:
    for batch, target in _dealt(units, targets):
        yield spec(
            Stage.VALIDATE,
            ValidatePayload(units=keep(storage.blobs, batch), target=target),
            f"{subject}: {target}, {batch[0].kernel_name} and {len(batch) - 1} more",
        )


def _dealt(units: Sequence[KernelUnit], targets: Sequence[str]) -> list[tuple[tuple[KernelUnit, ...], str]]:
    """Deal the units of each target into batches, what takes longest first, so that no long one is left for the end."""
    dealt = []
    for target in targets:
        distinct = {unit.digest: unit for unit in units if unit.dialect is dialect_of(target)}
        chosen = sorted(distinct.values(), key=lambda unit: (-len(unit.instantiations), unit.digest))
        while chosen:
            size = max(1, _fitting(chosen))
            dealt.append((tuple(chosen[:size]), target))
            del chosen[:size]
    return sorted(dealt, key=lambda each: -_weight(each[0]))


def _fitting(units: Sequence[KernelUnit]) -> int:
    return sum(_weight(units[: size + 1]) <= WEIGHT for size in range(min(BATCH, len(units))))


def _weight(units: Sequence[KernelUnit]) -> int:
    return sum(max(1, len(unit.instantiations)) for unit in units)
