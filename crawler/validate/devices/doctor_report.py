"""Report this machine's GPUs to `doctor`: which can run kernels, and what the others lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crawler.errors import MissingTool
from crawler.toolchains.discovery import Component
from crawler.validate.devices.gpu_detection import RUNTIMES, Gpu, detect_gpus
from crawler.validate.devices.inventory.listing import REMEDIES, GpuListing
from crawler.validate.devices.inventory.vendor_tools import list_gpus

_VENDOR_TITLES = {"rocm": "AMD GPUs", "cuda": "NVIDIA GPUs"}


def describe_gpus() -> tuple[Component, ...]:
    """Return a component for each vendor; one without any GPU here needs no remedy."""
    return tuple(_describe_runtime(runtime) for runtime in RUNTIMES)


def summarise_gpus(usable: Sequence[Gpu]) -> str:
    """Return the GPUs in a line: `4 rocm:gfx90a AMD Instinct MI210`."""
    # Partitions of one card are alike, and are counted together.
    kinds = Counter((gpu.device, gpu.name, gpu.partition) for gpu in usable)
    summaries: list[str] = []

    for (device, name, partition), count in kinds.items():
        suffix = f" ({partition})" if partition else ""
        summaries.append(f"{count} {device} {name}{suffix}")

    return ", ".join(summaries)


def suggest_remedy(listing: GpuListing | None, sandbox_problem: str = "") -> str:
    """Return what to do where no kernel can run; empty where there is no GPU to run it."""
    if listing is None:
        return ""
    if listing.problem:
        advice = REMEDIES.get(listing.problem, "")
        return f"{listing.message}: {advice}" if advice else ""

    if sandbox_problem:
        return sandbox_problem

    name = listing.gpus[0].name or "a GPU"
    return f"{name} is listed, and its driver's library does not open it: see its log"


def _describe_runtime(runtime: str) -> Component:
    listing = list_gpus(runtime)
    usable: tuple[Gpu, ...] = ()
    sandbox_problem = ""

    try:
        usable = detect_gpus(runtime)
    except MissingTool as error:
        sandbox_problem = str(error)

    purpose = f"running kernels on {runtime}"
    if usable:
        return Component(
            name=_VENDOR_TITLES[runtime],
            found=summarise_gpus(usable),
            needed_for=purpose,
        )

    return Component(
        name=_VENDOR_TITLES[runtime],
        found="",
        needed_for=purpose,
        remedy=suggest_remedy(listing, sandbox_problem),
    )
