"""What the tools of this machine list, asked once a process."""

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
from crawler.validate.devices.inventory.listing import Listed, Listing

_MORE: Final = "/opt/rocm/bin:/usr/lib/wsl/lib:/usr/local/nvidia/bin"
_LIMITS: Final = Limits(seconds=30, file_bytes=16 << 20)
_KEPT: Final = 4 << 20


@cache
def listed(runtime: str) -> Listing | None:
    """Return the GPUs that the tools of a runtime list; `None` where there is no such tool."""
    return _of_rocm() if runtime == "rocm" else _of_cuda()


@cache
def hip() -> hipconfig.Hip | None:
    """Return which HIP is installed."""
    said = _said("hipconfig", ())
    return hipconfig.parse(said) if said is not None else None


def _of_rocm() -> Listing | None:
    agents, cards = _said("rocminfo", ()), _said("rocm-smi", rocm_smi.ARGUMENTS)
    if agents is None and cards is None:
        return None
    first = rocminfo.parse(agents) if agents is not None else None
    second = rocm_smi.parse(cards) if cards is not None else None
    if first is None or second is None:
        return first or second
    return merged(first, second)


def merged(agents: Listing, cards: Listing) -> Listing:
    """Return the agents of `rocminfo`, with the partitions that `rocm-smi` tells where it lists as many."""
    if not agents.gpus:
        return agents
    if len(agents.gpus) != len(cards.gpus):
        return agents
    return replace(agents, gpus=tuple(map(_with_partition, agents.gpus, cards.gpus)))


def _with_partition(agent: Listed, card: Listed) -> Listed:
    return replace(agent, partition=card.partition, name=agent.name or card.name)


def _of_cuda() -> Listing | None:
    said = _said("nvidia-smi", nvidia_smi.ARGUMENTS)
    if said is None:
        return None
    listing = nvidia_smi.parse(said)
    if not any(gpu.partition for gpu in listing.gpus):
        return listing
    parts = nvidia_smi.parts(_said("nvidia-smi", nvidia_smi.LIST) or "")
    return replace(listing, gpus=tuple(one for gpu in listing.gpus for one in _split(gpu, parts.get(gpu.uuid, ()))))


def _split(gpu: Listed, parts: Sequence[Listed]) -> Sequence[Listed]:
    return [replace(part, arch=gpu.arch) for part in parts] or [gpu]


def _said(name: str, arguments: Sequence[str]) -> str | None:
    path = shutil.which(name) or shutil.which(name, path=_MORE)
    if path is None:
        return None
    return process.run([str(Path(path)), *arguments], limits=_LIMITS, keep=_KEPT).text
