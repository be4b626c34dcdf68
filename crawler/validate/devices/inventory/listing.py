"""GPUs that a tool lists, or the problem that it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedGpu:
    """One GPU, or a part of one that works as a GPU of its own."""

    index: int
    name: str
    arch: str = ""
    """`gfx942`, `sm_90`; empty where the tool does not say."""
    features: str = ""
    """`sramecc+:xnack-`."""
    uuid: str = ""
    memory_bytes: int = 0
    compute_units: int = 0
    """Compute units or multiprocessors."""
    partition: str = ""
    """`SPX`, `CPX/NPS4`, `MIG 1g.10gb`; empty for a whole one, or where the tool does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuListing:
    """All that a tool lists, or why it does not."""

    gpus: tuple[ListedGpu, ...] = ()
    driver: str = ""
    """Version, where the tool tells it."""
    problem: str = ""
    """A stable slug: `no-kernel-module`, `no-permission`, `driver-mismatch`, `no-device`,
    `tool-failed`.
    """
    message: str = ""
    """The line that says so."""


REMEDIES = {
    "no-kernel-module": "load the driver's kernel module (`modprobe amdgpu`, `modprobe nvidia`), or install the driver",
    "no-permission": "add the user to the groups `render` and `video`, and log in again",
    "driver-mismatch": "reboot, or install library and kernel module of one version",
    "no-device": "",
    "tool-failed": "run the tool by hand: its message says more",
}
"""What to do about a problem."""


def recognise_problem(text: str, known_problems: dict[str, str]) -> GpuListing:
    """Return the first of the `known_problems` problems (what is said, and its slug) that
    `text` tells of.
    """
    for line in text.splitlines():
        for said, slug in known_problems.items():
            if said in line:
                return GpuListing(problem=slug, message=line.strip()[:200])
    first = next(
        (line.strip() for line in text.splitlines() if line.strip()), "it said nothing"
    )
    return GpuListing(problem="tool-failed", message=first[:200])
