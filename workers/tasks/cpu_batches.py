"""Divide the kernels of a commit into batches for the CPU, one kernel for each unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.codec import decode, encode
from crawler.model import Kernel
from storage.index.kernel_units import load_units
from storage.interfaces import BlobStore
from storage.ledger.interface import Stage, TaskSpec
from workers.tasks.payloads import RunPayload, StoredKernel
from workers.tasks.task_specs import make_task_spec, store_json

MAX_BATCH_KERNELS: Final = 4
"""Kernels of one task: each takes seconds, and a worker that is killed begins its batch anew."""


def make_cpu_batches(
    kernels: Iterable[Kernel], snapshot: str, blobs: BlobStore, subject: str
) -> Iterator[TaskSpec]:
    """Yield the tasks that run each unit of `kernels` once."""
    chosen = _chosen(kernels)
    stored = _stored(chosen, blobs)
    for at in range(0, len(chosen), MAX_BATCH_KERNELS):
        payload = RunPayload(
            kernels=store_json(blobs, stored[at : at + MAX_BATCH_KERNELS]),
            snapshot=snapshot,
        )
        others = len(chosen[at : at + MAX_BATCH_KERNELS]) - 1
        yield make_task_spec(
            Stage.VALIDATE_CPU,
            payload,
            f"{subject}: {chosen[at].name} and {others} more",
        )


def load_stored_kernels(blobs: BlobStore, digest: str) -> Iterator[Kernel]:
    """Yield the kernels, with their units, of a batch that is stored under `digest`."""
    for each in decode(blobs.get(digest), tuple[StoredKernel, ...]):
        (unit,) = load_units(blobs, [(each.source, each.unit)])
        yield replace(decode(blobs.get(each.kernel), Kernel), unit=unit)


def _chosen(kernels: Iterable[Kernel]) -> list[Kernel]:
    best: dict[str, Kernel] = {}
    for kernel in kernels:
        if kernel.unit is not None:
            held = best.setdefault(kernel.unit.digest, kernel)
            best[kernel.unit.digest] = (
                kernel if len(kernel.launches) > len(held.launches) else held
            )
    return list(best.values())


def _stored(kernels: Sequence[Kernel], blobs: BlobStore) -> tuple[StoredKernel, ...]:
    units = [kernel.unit for kernel in kernels if kernel.unit]
    told = blobs.put_many(encode(replace(kernel, unit=None)) for kernel in kernels)
    bare = blobs.put_many(encode(replace(unit, source="")) for unit in units)
    triples = zip(told, bare, units, strict=True)
    return tuple(
        StoredKernel(kernel=kernel, unit=unit, source=whole.digest)
        for kernel, unit, whole in triples
    )
