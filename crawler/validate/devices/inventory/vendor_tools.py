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

_TOOL_FOLDERS: Final = "/opt/rocm/bin:/usr/lib/wsl/lib:/usr/local/nvidia/bin"
_LIMITS: Final = Limits(seconds=30, file_bytes=16 << 20)
_MAX_OUTPUT_BYTES: Final = 4 << 20


@cache
def list_gpus(runtime: str) -> GpuListing | None:
    """Return the GPUs that the tools of a runtime list; `None` where there is no such tool."""
    return _list_amd_gpus() if runtime == "rocm" else _list_nvidia_gpus()


@cache
def find_hip() -> hipconfig.HipInstallation | None:
    """Return which HIP is installed."""
    output = _run_tool("hipconfig", ())
    if output is None:
        return None

    return hipconfig.parse(output)


def merge_listings(agents: GpuListing, cards: GpuListing) -> GpuListing:
    """Return the agents of `rocminfo`, with the partitions that `rocm-smi` lists.

    Where they list different numbers of GPUs, the partitions cannot be assigned.
    """
    if not agents.gpus or len(agents.gpus) != len(cards.gpus):
        return agents

    gpus = [
        replace(
            agent,
            partition=card.partition,
            name=agent.name or card.name,
        )
        for agent, card in zip(agents.gpus, cards.gpus, strict=True)
    ]

    return replace(agents, gpus=tuple(gpus))


def _list_amd_gpus() -> GpuListing | None:
    rocminfo_output = _run_tool("rocminfo", ())
    rocm_smi_output = _run_tool("rocm-smi", rocm_smi.QUERY_ARGUMENTS)
    if rocminfo_output is None:
        return None if rocm_smi_output is None else rocm_smi.parse(rocm_smi_output)

    agents = rocminfo.parse(rocminfo_output)
    if rocm_smi_output is None:
        return agents

    return merge_listings(agents, rocm_smi.parse(rocm_smi_output))


def _list_nvidia_gpus() -> GpuListing | None:
    output = _run_tool("nvidia-smi", nvidia_smi.QUERY_ARGUMENTS)
    if output is None:
        return None

    listing = nvidia_smi.parse(output)
    if not any(gpu.partition for gpu in listing.gpus):
        return listing

    # A GPU in MIG mode does not run kernels itself: its partitions take its place.
    list_output = _run_tool("nvidia-smi", nvidia_smi.LIST_ARGUMENTS) or ""
    partitions = nvidia_smi.parse_mig_partitions(list_output)
    gpus: list[ListedGpu] = []

    for gpu in listing.gpus:
        gpu_partitions = partitions.get(gpu.uuid, ())
        if gpu_partitions:
            gpus.extend(
                replace(partition, arch=gpu.arch) for partition in gpu_partitions
            )
        else:
            gpus.append(gpu)

    return replace(listing, gpus=tuple(gpus))


def _run_tool(name: str, arguments: Sequence[str]) -> str | None:
    """Return what a tool prints; `None` where it is not installed."""
    program = shutil.which(name) or shutil.which(name, path=_TOOL_FOLDERS)
    if program is None:
        return None

    command = [str(Path(program)), *arguments]
    return process.run(
        command,
        limits=_LIMITS,
        keep=_MAX_OUTPUT_BYTES,
    ).text
