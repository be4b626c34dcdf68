"""Report this machine's GPUs to `doctor`: which can run kernels, and what the others lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crawler.errors import MissingTool
from crawler.toolchains.components import Component
from crawler.validate.devices.gpu_detection import RUNTIMES, Gpu, detect_gpus
from crawler.validate.devices.inventory.listing import REMEDIES, GpuListing
from crawler.validate.devices.inventory.vendor_tools import list_gpus

_NAMES = {"rocm": "AMD GPUs", "cuda": "NVIDIA GPUs"}


def describe_gpus() -> tuple[Component, ...]:
    """Return a line for each vendor; one that this machine has nothing of lacks nothing."""
    return tuple(_described(runtime) for runtime in RUNTIMES)


def _described(runtime: str) -> Component:
    listing = list_gpus(runtime)
    try:
        usable, blocked = detect_gpus(runtime), ""
    except MissingTool as error:
        usable, blocked = (), str(error)
    purpose = f"running kernels on {runtime}"
    if usable:
        return Component(
            name=_NAMES[runtime], found=summarise_gpus(usable), needed_for=purpose
        )
    return Component(
        name=_NAMES[runtime],
        found="",
        needed_for=purpose,
        remedy=suggest_remedy(listing, blocked),
    )


def summarise_gpus(usable: Sequence[Gpu]) -> str:
    """Return the GPUs in a line: `4 rocm:gfx90a AMD Instinct MI210`."""
    kinds = Counter((gpu.device, gpu.name, gpu.partition) for gpu in usable)
    return ", ".join(
        f"{count} {device} {name}{f' ({partition})' if partition else ''}"
        for (device, name, partition), count in kinds.items()
    )


def suggest_remedy(listing: GpuListing | None, blocked: str = "") -> str:
    """Return what to do where no kernel can run; empty where there is no GPU to run it."""
    if listing is None:
        return ""
    if listing.problem:
        advice = REMEDIES.get(listing.problem, "")
        return f"{listing.message}: {advice}" if advice else ""
    first = listing.gpus[0]
    return (
        blocked
        or f"{first.name or 'a GPU'} is listed, and its driver's library does not open it: see its log"
    )
