"""The kernels of a commit, dealt into batches to run: one for each unit, the one whose launches tell most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.codec import decode, encode
from crawler.model import Kernel
from storage.ledger import Stage, TaskSpec
from storage.ports import BlobStore
from storage.records import units_of
from workers.stages.payloads import RunPayload, StoredKernel
from workers.stages.tasks import keep, spec

BATCH: Final = 4
"""Kernels of one task: each takes seconds, and a worker that is killed begins its batch anew."""


def run_batches(kernels: Iterable[Kernel], snapshot: str, blobs: BlobStore, subject: str) -> Iterator[TaskSpec]:
    """Yield the tasks that run each unit of `kernels` once."""
    chosen = _chosen(kernels)
    stored = _stored(chosen, blobs)
    for at in range(0, len(chosen), BATCH):
        payload = RunPayload(kernels=keep(blobs, stored[at : at + BATCH]), snapshot=snapshot)
        others = len(chosen[at : at + BATCH]) - 1
        yield spec(Stage.VALIDATE_CPU, payload, f"{subject}: {chosen[at].name} and {others} more")


def stored_kernels(blobs: BlobStore, digest: str) -> Iterator[Kernel]:
    """Yield the kernels, with their units, of a batch that is stored under `digest`."""
    for each in decode(blobs.get(digest), tuple[StoredKernel, ...]):
        (unit,) = units_of(blobs, [(each.source, each.unit)])
        yield replace(decode(blobs.get(each.kernel), Kernel), unit=unit)


def _chosen(kernels: Iterable[Kernel]) -> list[Kernel]:
    best: dict[str, Kernel] = {}
    for kernel in kernels:
        if kernel.unit is not None:
            held = best.setdefault(kernel.unit.digest, kernel)
            best[kernel.unit.digest] = kernel if len(kernel.launches) > len(held.launches) else held
    return list(best.values())


def _stored(kernels: Sequence[Kernel], blobs: BlobStore) -> tuple[StoredKernel, ...]:
    units = [kernel.unit for kernel in kernels if kernel.unit]
    told = blobs.put_many(encode(replace(kernel, unit=None)) for kernel in kernels)
    bare = blobs.put_many(encode(replace(unit, source="")) for unit in units)
    triples = zip(told, bare, units, strict=True)
    return tuple(StoredKernel(kernel=kernel, unit=unit, source=whole.digest) for kernel, unit, whole in triples)
