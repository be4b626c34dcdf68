"""link: all facts of a commit become its kernels and their units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.dataset.licence import file_licence
from crawler.errors import NoKernels
from crawler.extract.link import link
from crawler.model import Kernel, Licence, UnitFacts
from storage.ledger import Claim, Outcome, Stage
from workers.stages.payloads import BatchResult, LinkPayload, PortPayload
from workers.stages.tasks import keep, spec, stored_repo, title
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Merge what the batches stored, and put the kernels with their licences into the index."""
    payload = decode(claim.payload, LinkPayload)
    repo = stored_repo(storage.blobs, payload.repo)
    root = workspace.checkout(payload.snapshot, storage.blobs)
    kernels = _licensed(link(_facts(claim, storage)), root, repo.licence)
    storage.index.put_commit(repo, payload.snapshot, payload.database, task=claim.id)
    storage.index.put_kernels(repo, kernels)
    if not kernels:
        raise NoKernels("no kernel is defined here, though `__global__` or a device file was seen")
    units = tuple(sorted({kernel.unit.digest for kernel in kernels if kernel.unit}))
    following = PortPayload(repo=payload.repo, units=keep(storage.blobs, units), targets=payload.targets)
    return Outcome(
        children=(spec(Stage.PORT, following, title(repo)),) if units else (),
        result=encode({"kernels": len(kernels), "units": len(units)}).decode(),
    )


def _facts(claim: Claim, storage: Storage) -> Iterator[UnitFacts]:
    for _, result in storage.ledger.children_results(claim):
        yield from decode(storage.blobs.get(decode(result, BatchResult).facts), tuple[UnitFacts, ...])


def _licensed(kernels: tuple[Kernel, ...], root: Path, repository: Licence) -> tuple[Kernel, ...]:
    @cache
    def licence(path: str) -> Licence:
        return file_licence((root / path).read_text("utf-8", "replace"), repository)

    return tuple(replace(kernel, licence=licence(kernel.span.path)) for kernel in kernels)
