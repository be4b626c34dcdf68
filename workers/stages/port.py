"""Stage `port`: port the CUDA units of a commit and divide all units into batches to compile."""

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
    from storage.interfaces import BlobStore
    from storage.open import Storage

MAX_BATCH_UNITS: Final = 16
"""Units of one validate task, at most."""
MAX_BATCH_INSTANTIATIONS: Final = 48
"""Instantiations of one validate task, unless a single unit has more."""

Batch = tuple[tuple[KernelUnit, ...], str]
"""Units, and the target that they are compiled for."""


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Port every CUDA unit of the commit.

    One that cannot be ported is counted by its code, and is no failure.
    """
    payload = decode(claim.payload, PortPayload)
    repo = load_repo(storage.blobs, payload.repo)
    encoded_digests = storage.blobs.get(payload.units)
    digests = set(decode(encoded_digests, tuple[str, ...]))
    units = [unit for unit in storage.index.units(repo) if unit.digest in digests]

    ported_units, refusals = _port_units(units)
    storage.index.put_ports(ported_units)

    all_units = [*units, *ported_units]
    tasks = _make_tasks(all_units, payload.targets, storage.blobs, repo_title(repo))
    result = {"units": len(units), "ported": len(ported_units), "refused": refusals}
    return Outcome(children=tuple(tasks), result=encode(result).decode())


def _port_units(units: Sequence[KernelUnit]) -> tuple[list[KernelUnit], Counter[str]]:
    """Return the ported units, and how many were refused, by the code of the refusal."""
    ported_units: list[KernelUnit] = []
    refusals: Counter[str] = Counter()
    for unit in units:
        if unit.dialect is Dialect.HIP:
            continue

        try:
            ported_unit = port_unit(unit)
        except PortFailed as error:
            refusals[error.code] += 1
        else:
            ported_units.append(ported_unit)

    return ported_units, refusals


def _make_tasks(
    units: Sequence[KernelUnit], targets: Sequence[str], blobs: BlobStore, subject: str
) -> Iterator[TaskSpec]:
    for batch, target in _divide_into_batches(units, targets):
        batch_digest = store_json(blobs, batch)
        payload = ValidatePayload(units=batch_digest, target=target)

        first_name = batch[0].kernel_name
        title = f"{subject}: {target}, {first_name} and {len(batch) - 1} more"
        is_long = _count_instantiations(batch) > MAX_BATCH_INSTANTIATIONS
        yield make_task_spec(Stage.VALIDATE, payload, title, is_long=is_long)


def _divide_into_batches(
    units: Sequence[KernelUnit], targets: Sequence[str]
) -> list[Batch]:
    """Divide the units of each target into batches.

    The batches that take longest come first, so that no long one is left for the end.
    """
    batches: list[Batch] = []
    for target in targets:
        waiting = _sort_units_of_target(units, target)
        while waiting:
            # a unit of very many instantiations is a batch by itself
            size = max(1, _count_fitting(waiting))
            batch_units = tuple(waiting[:size])
            batches.append((batch_units, target))
            del waiting[:size]

    return sorted(batches, key=lambda batch: -_count_instantiations(batch[0]))


def _sort_units_of_target(units: Sequence[KernelUnit], target: str) -> list[KernelUnit]:
    """Return the distinct units in the dialect of a target, those of many instantiations first.

    Small ones then fill up the last batches.
    """
    dialect = target_dialect(target)
    distinct_units: dict[str, KernelUnit] = {}
    for unit in units:
        if unit.dialect is dialect:
            distinct_units[unit.digest] = unit

    largest_by_whole: dict[str, int] = {}
    for unit in distinct_units.values():
        largest = largest_by_whole.get(unit.whole, 0)
        largest_by_whole[unit.whole] = max(largest, len(unit.instantiations))

    # those of one translation unit are compared with it together
    return sorted(
        distinct_units.values(),
        key=lambda unit: (
            -largest_by_whole[unit.whole],
            unit.whole,
            -len(unit.instantiations),
            unit.digest,
        ),
    )


def _count_fitting(units: Sequence[KernelUnit]) -> int:
    """Return how many of the first units one batch may hold."""
    count = 0
    instantiation_count = 0
    for unit in units[:MAX_BATCH_UNITS]:
        instantiation_count += _count_instantiations([unit])
        if instantiation_count > MAX_BATCH_INSTANTIATIONS:
            break
        count += 1

    return count


def _count_instantiations(units: Sequence[KernelUnit]) -> int:
    count = 0
    for unit in units:
        # what is no template is compiled once
        count += max(1, len(unit.instantiations))

    return count
