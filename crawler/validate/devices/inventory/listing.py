"""GPUs that a tool lists, or the problem that it reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_MAX_MESSAGE_CHARACTERS = 200


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
    """The GPUs that a tool lists, or why it lists none."""

    gpus: tuple[ListedGpu, ...] = ()
    driver: str = ""
    """Version, where the tool tells it."""
    problem: str = ""
    """A stable slug: `no-kernel-module`, `no-permission`, `driver-mismatch`, `no-device`,
    `tool-failed`.
    """
    message: str = ""
    """The line of the tool that says so."""


REMEDIES = {
    "no-kernel-module": (
        "load the driver's kernel module (`modprobe amdgpu`, `modprobe nvidia`), "
        "or install the driver"
    ),
    "no-permission": (
        "add the user to the groups `render` and `video`, and log in again"
    ),
    "driver-mismatch": ("reboot, or install library and kernel module of one version"),
    "no-device": "",
    "tool-failed": "run the tool by hand: its message says more",
}
"""What to do about a problem."""


def recognise_problem(text: str, known_problems: Mapping[str, str]) -> GpuListing:
    """Return the first problem that a tool's output reports.

    `known_problems` has the slugs of problems by a phrase of the tool's message.
    """
    lines = text.splitlines()
    # The first line that names a known problem, whatever stands before it.
    for line in lines:
        for phrase, slug in known_problems.items():
            if phrase in line:
                return GpuListing(
                    problem=slug,
                    message=_shorten(line),
                )

    for line in lines:
        if line.strip():
            return GpuListing(
                problem="tool-failed",
                message=_shorten(line),
            )

    return GpuListing(
        problem="tool-failed",
        message="it said nothing",
    )


def _shorten(line: str) -> str:
    return line.strip()[:_MAX_MESSAGE_CHARACTERS]
