"""Divide the kernels of a commit into batches for the CPU, one kernel for each unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from crawler.codec import decode, encode
from crawler.model import Kernel, KernelUnit
from storage.index.kernel_rows.kernel_units import load_units
from storage.interfaces import BlobStore
from storage.ledger.interface import Stage, TaskSpec
from workers.tasks.kernel_versions import find_versions
from workers.tasks.payloads import RunPayload, StoredKernel
from workers.tasks.task_specs import make_task_spec, store_json

LoadVersions = Callable[[], tuple[Kernel, ...]]
MAX_BATCH_KERNELS: Final = 4
"""Kernels of one task: each takes seconds, and a worker that is killed begins its batch anew."""


def make_cpu_batches(
    kernels: Iterable[Kernel],
    snapshot: str,
    blobs: BlobStore,
    subject: str,
    *,
    database: str = "",
) -> Iterator[TaskSpec]:
    """Yield the tasks that run each unit of `kernels` once.

    `snapshot` and `database` are digests of the commit's stored sources and compile database.
    """
    chosen_kernels = _choose_kernel_per_unit(kernels)
    stored_kernels = _add_versions(
        _store_kernels(chosen_kernels, blobs), find_versions(chosen_kernels)
    )

    for start in range(0, len(chosen_kernels), MAX_BATCH_KERNELS):
        end = start + MAX_BATCH_KERNELS
        batch = stored_kernels[start:end]
        batch_digest = store_json(blobs, batch)
        payload = RunPayload(kernels=batch_digest, snapshot=snapshot, database=database)

        first_name = chosen_kernels[start].name
        title = f"{subject}: {first_name} and {len(batch) - 1} more"
        yield make_task_spec(Stage.VALIDATE_CPU, payload, title)


def load_stored_kernels(blobs: BlobStore, digest: str) -> Iterator[Kernel]:
    """Yield the kernels, with their units, of a batch that is stored under `digest`."""
    for kernel, _ in load_kernels_with_versions(blobs, digest):
        yield kernel


def load_kernels_with_versions(
    blobs: BlobStore, digest: str
) -> Iterator[tuple[Kernel, LoadVersions]]:
    """Yield the same, each with what loads those kernels of its commit that may be its versions."""
    stored_kernels = decode(blobs.get(digest), tuple[StoredKernel, ...])
    for stored_kernel in stored_kernels:
        yield (
            _load_kernel(blobs, stored_kernel),
            partial(_load_versions, blobs, stored_kernel),
        )


def _load_versions(blobs: BlobStore, stored: StoredKernel) -> tuple[Kernel, ...]:
    return tuple(_load_kernel(blobs, version) for version in stored.versions)


def _load_kernel(blobs: BlobStore, stored: StoredKernel) -> Kernel:
    (unit,) = load_units(blobs, [(stored.source, stored.unit)])
    return replace(decode(blobs.get(stored.kernel), Kernel), unit=unit)


def _add_versions(
    stored_kernels: Sequence[StoredKernel], versions: Mapping[int, Sequence[int]]
) -> tuple[StoredKernel, ...]:
    return tuple(
        replace(
            stored,
            versions=tuple(
                stored_kernels[number] for number in versions.get(position, ())
            ),
        )
        for position, stored in enumerate(stored_kernels)
    )


def _choose_kernel_per_unit(kernels: Iterable[Kernel]) -> list[Kernel]:
    """Return one kernel for each unit: the one whose launches tell most."""
    chosen: dict[str, Kernel] = {}
    for kernel in kernels:
        if kernel.unit is None:
            continue

        digest = kernel.unit.digest
        rival = chosen.get(digest)
        if rival is None or len(kernel.launches) > len(rival.launches):
            chosen[digest] = kernel

    return list(chosen.values())


def _store_kernels(
    kernels: Sequence[Kernel], blobs: BlobStore
) -> tuple[StoredKernel, ...]:
    """Store kernels and units apart: the text of a unit is a blob of its own already."""
    units: list[KernelUnit] = []
    encoded_kernels: list[bytes] = []
    encoded_units: list[bytes] = []
    for kernel in kernels:
        assert kernel.unit is not None
        units.append(kernel.unit)
        bare_kernel = replace(kernel, unit=None)
        encoded_kernels.append(encode(bare_kernel))
        bare_unit = replace(kernel.unit, source="")
        encoded_units.append(encode(bare_unit))

    kernel_digests = blobs.put_many(encoded_kernels)
    unit_digests = blobs.put_many(encoded_units)

    stored_kernels = []
    for position, unit in enumerate(units):
        stored_kernel = StoredKernel(
            kernel=kernel_digests[position],
            unit=unit_digests[position],
            source=unit.digest,
        )
        stored_kernels.append(stored_kernel)

    return tuple(stored_kernels)
