"""Parse `rocminfo`: the agents of AMD's runtime that are GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.validate.devices.inventory.listing import (
    GpuListing,
    ListedGpu,
    recognise_problem,
)

_AGENT: Final = re.compile(r"^\*+\s*\nAgent (\d+)\s*\n\*+\s*$", re.MULTILINE)
_PROBLEMS: Final = {
    "ROCk module is NOT loaded": "no-kernel-module",
    "Unable to open /dev/kfd": "no-permission",
    "Permission denied": "no-permission",
    "is not member of": "no-permission",
    "HSA_STATUS_ERROR_OUT_OF_RESOURCES": "no-permission",
    "HSA_STATUS_ERROR": "tool-failed",
}
_ARCH: Final = re.compile(r"gfx[0-9a-f]{3,5}")
_SIZE: Final = re.compile(r"(\d+)\s*\(0x[0-9a-f]+\)\s*KB")


def parse(text: str) -> GpuListing:
    """Return the GPUs among the agents, in their order; a text without any agent tells of a
    problem.
    """
    parts = _AGENT.split(text)
    if len(parts) < 3:
        return recognise_problem(text, _PROBLEMS)
    found = [
        agent for agent in map(_fields, parts[2::2]) if agent["Device Type"] == "GPU"
    ]
    gpus = tuple(_listed(index, agent) for index, agent in enumerate(found))
    return GpuListing(
        gpus=gpus,
        problem="" if gpus else "no-device",
        message="" if gpus else "no agent is a GPU",
    )


class _Agent(dict[str, str]):
    """The fields of an agent by name, the first of each: those of its pools and caches come
    later.
    """

    def __missing__(self, _: str) -> str:
        return ""


def _fields(text: str) -> _Agent:
    agent = _Agent()
    for name, value in _lines(text):
        agent.setdefault(name, value)
    agent["_memory"] = _memory(text)
    agent["_isa"] = next(
        (value for name, value in _lines(text) if name == "Name" and "--gfx" in value),
        "",
    )
    return agent


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _memory(text: str) -> str:
    """Return the kilobytes of the first pool that is the agent's own global memory."""
    pools = re.split(r"^\s*Pool \d+\s*$", text, flags=re.MULTILINE)[1:]
    own = (pool for pool in pools if re.search(r"Segment:\s+GLOBAL", pool))
    size = next((_SIZE.search(pool) for pool in own), None)
    return size[1] if size else "0"


def _listed(index: int, agent: _Agent) -> ListedGpu:
    isa = agent["_isa"].partition("--")[2]
    arch = _ARCH.search(agent["Name"]) or _ARCH.search(isa)
    return ListedGpu(
        index=index,
        name=agent["Marketing Name"] or agent["Name"],
        arch=arch[0] if arch else "",
        features=isa.partition(":")[2],
        uuid=agent["Uuid"] if agent["Uuid"] != "GPU-XX" else "",
        memory_bytes=int(agent["_memory"]) << 10,
        compute_units=_whole(agent["Compute Unit"]),
    )


def _whole(text: str) -> int:
    found = re.match(r"\d+", text)
    return int(found[0]) if found else 0
