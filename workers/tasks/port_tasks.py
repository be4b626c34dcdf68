"""Ask that units of a commit are ported and compiled."""

from __future__ import annotations

from collections.abc import Iterable

from crawler.model import Kernel
from storage.interfaces import BlobStore
from storage.ledger.interface import Stage, TaskSpec
from workers.tasks.payloads import PortPayload
from workers.tasks.task_specs import make_task_spec, store_json


def list_unit_digests(kernels: Iterable[Kernel]) -> tuple[str, ...]:
    """Return the digests of the kernels' units, each once: copies of a file share theirs."""
    return tuple(sorted({kernel.unit.digest for kernel in kernels if kernel.unit}))


def make_port_tasks(
    unit_digests: tuple[str, ...],
    repo: str,
    targets: tuple[str, ...],
    blobs: BlobStore,
    subject: str,
) -> list[TaskSpec]:
    """Return the task that ports these units of a stored `Repo`, none where there are none."""
    if not unit_digests:
        return []

    payload = PortPayload(
        repo=repo,
        units=store_json(blobs, unit_digests),
        targets=targets,
    )
    return [make_task_spec(Stage.PORT, payload, subject)]
