"""What a tool lists."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One GPU, or a part of one that works as a GPU of its own."""

    index: int
    name: str
    arch: str = ""
    """`gfx942`, `sm_90`; empty where the tool does not say."""
    features: str = ""
    """`sramecc+:xnack-`."""
    uuid: str = ""
    memory_bytes: int = 0
    units: int = 0
    """Compute units or multiprocessors."""
    partition: str = ""
    """`SPX`, `CPX/NPS4`, `MIG 1g.10gb`; empty for a whole one, or where the tool does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All that a tool lists, or why it does not."""

    gpus: tuple[Listed, ...] = ()
    driver: str = ""
    """Version, where the tool tells it."""
    problem: str = ""
    """A stable slug: `no-kernel-module`, `no-permission`, `driver-mismatch`, `no-device`, `tool-failed`."""
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


def problem(text: str, known: dict[str, str]) -> Listing:
    """Return the first of the `known` problems (what is said, and its slug) that `text` tells of."""
    for line in text.splitlines():
        for said, slug in known.items():
            if said in line:
                return Listing(problem=slug, message=line.strip()[:200])
    first = next((line.strip() for line in text.splitlines() if line.strip()), "it said nothing")
    return Listing(problem="tool-failed", message=first[:200])
