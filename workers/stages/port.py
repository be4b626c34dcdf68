"""Stage `port`: port the CUDA units of a commit to HIP and divide all units into batches to
compile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import PortFailed
from crawler.model import Dialect, KernelUnit
from crawler.port.port import port_unit
from crawler.validate.build import target_dialect
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from workers.tasks.payloads import PortPayload, ValidatePayload
from workers.tasks.task_specs import load_repo, make_task_spec, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

MAX_BATCH_UNITS: Final = 16
"""Units of one validate task, at most."""
MAX_BATCH_INSTANTIATIONS: Final = 48
"""Instantiations of one validate task, unless a single unit has more."""


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Port every unit of the commit; one that cannot be ported is counted by its code, and is
    no failure.
    """
    payload = decode(claim.payload, PortPayload)
    repo = load_repo(storage.blobs, payload.repo)
    wanted = set(decode(storage.blobs.get(payload.units), tuple[str, ...]))
    units = [unit for unit in storage.index.units(repo) if unit.digest in wanted]
    ported, refused = _ported(units)
    storage.index.put_ports(ported)
    return Outcome(
        children=tuple(
            _batches([*units, *ported], payload.targets, storage, repo_title(repo))
        ),
        result=encode(
            {"units": len(units), "ported": len(ported), "refused": refused}
        ).decode(),
    )


def _ported(units: Sequence[KernelUnit]) -> tuple[list[KernelUnit], Counter[str]]:
    ported: list[KernelUnit] = []
    refused: Counter[str] = Counter()
    for unit in units:
        if unit.dialect is Dialect.HIP:
            continue
        try:
            ported.append(port_unit(unit))
        except PortFailed as error:
            refused[error.code] += 1
    return ported, refused


def _batches(
    units: Sequence[KernelUnit], targets: Sequence[str], storage: Storage, subject: str
) -> Iterator[TaskSpec]:
    for batch, target in _divide_into_batches(units, targets):
        yield make_task_spec(
            Stage.VALIDATE,
            ValidatePayload(units=store_json(storage.blobs, batch), target=target),
            f"{subject}: {target}, {batch[0].kernel_name} and {len(batch) - 1} more",
        )


def _divide_into_batches(
    units: Sequence[KernelUnit], targets: Sequence[str]
) -> list[tuple[tuple[KernelUnit, ...], str]]:
    """Deal the units of each target into batches, what takes longest first, so that no long one
    is left for the end.
    """
    dealt = []
    for target in targets:
        distinct = {
            unit.digest: unit
            for unit in units
            if unit.dialect is target_dialect(target)
        }
        chosen = sorted(
            distinct.values(), key=lambda unit: (-len(unit.instantiations), unit.digest)
        )
        while chosen:
            size = max(1, _fitting(chosen))
            dealt.append((tuple(chosen[:size]), target))
            del chosen[:size]
    return sorted(dealt, key=lambda each: -_weight(each[0]))


def _fitting(units: Sequence[KernelUnit]) -> int:
    return sum(
        _weight(units[: size + 1]) <= MAX_BATCH_INSTANTIATIONS
        for size in range(min(MAX_BATCH_UNITS, len(units)))
    )


def _weight(units: Sequence[KernelUnit]) -> int:
    return sum(max(1, len(unit.instantiations)) for unit in units)
