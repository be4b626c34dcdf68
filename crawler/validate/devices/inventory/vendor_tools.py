"""Run the vendors' tools of this machine, once a process, and merge what they list."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler import process
from crawler.process import Limits
from crawler.validate.devices.inventory import hipconfig, nvidia_smi, rocm_smi, rocminfo
from crawler.validate.devices.inventory.listing import GpuListing, ListedGpu

_MORE: Final = "/opt/rocm/bin:/usr/lib/wsl/lib:/usr/local/nvidia/bin"
_LIMITS: Final = Limits(seconds=30, file_bytes=16 << 20)
_KEPT: Final = 4 << 20


@cache
def list_gpus(runtime: str) -> GpuListing | None:
    """Return the GPUs that the tools of a runtime list; `None` where there is no such tool."""
    return _of_rocm() if runtime == "rocm" else _of_cuda()


@cache
def find_hip() -> hipconfig.HipInstallation | None:
    """Return which HIP is installed."""
    said = _said("hipconfig", ())
    return hipconfig.parse(said) if said is not None else None


def _of_rocm() -> GpuListing | None:
    agents, cards = _said("rocminfo", ()), _said("rocm-smi", rocm_smi.QUERY_ARGUMENTS)
    if agents is None and cards is None:
        return None
    first = rocminfo.parse(agents) if agents is not None else None
    second = rocm_smi.parse(cards) if cards is not None else None
    if first is None or second is None:
        return first or second
    return merge_listings(first, second)


def merge_listings(agents: GpuListing, cards: GpuListing) -> GpuListing:
    """Return the agents of `rocminfo`, with the partitions that `rocm-smi` tells where it lists
    as many.
    """
    if not agents.gpus:
        return agents
    if len(agents.gpus) != len(cards.gpus):
        return agents
    return replace(agents, gpus=tuple(map(_with_partition, agents.gpus, cards.gpus)))


def _with_partition(agent: ListedGpu, card: ListedGpu) -> ListedGpu:
    return replace(agent, partition=card.partition, name=agent.name or card.name)


def _of_cuda() -> GpuListing | None:
    said = _said("nvidia-smi", nvidia_smi.QUERY_ARGUMENTS)
    if said is None:
        return None
    listing = nvidia_smi.parse(said)
    if not any(gpu.partition for gpu in listing.gpus):
        return listing
    parts = nvidia_smi.parse_mig_partitions(
        _said("nvidia-smi", nvidia_smi.LIST_ARGUMENTS) or ""
    )
    return replace(
        listing,
        gpus=tuple(
            one for gpu in listing.gpus for one in _split(gpu, parts.get(gpu.uuid, ()))
        ),
    )


def _split(gpu: ListedGpu, parts: Sequence[ListedGpu]) -> Sequence[ListedGpu]:
    return [replace(part, arch=gpu.arch) for part in parts] or [gpu]


def _said(name: str, arguments: Sequence[str]) -> str | None:
    path = shutil.which(name) or shutil.which(name, path=_MORE)
    if path is None:
        return None
    return process.run([str(Path(path)), *arguments], limits=_LIMITS, keep=_KEPT).text
