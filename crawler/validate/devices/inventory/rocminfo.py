"""Parse `rocminfo`: the agents of AMD's runtime that are GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.validate.devices.inventory.listing import (
    GpuListing,
    ListedGpu,
    recognise_problem,
)

# what rocminfo prints, indented text for people
_AGENT_HEADING: Final = re.compile(r"^\*+\s*\nAgent (\d+)\s*\n\*+\s*$", re.MULTILINE)
_POOL_HEADING: Final = re.compile(r"^\s*Pool \d+\s*$", re.MULTILINE)
_PROBLEMS: Final = {
    "ROCk module is NOT loaded": "no-kernel-module",
    "Unable to open /dev/kfd": "no-permission",
    "Permission denied": "no-permission",
    "is not member of": "no-permission",
    "HSA_STATUS_ERROR_OUT_OF_RESOURCES": "no-permission",
    "HSA_STATUS_ERROR": "tool-failed",
}
# values of its fields
_ARCH: Final = re.compile(r"gfx[0-9a-f]{3,5}")
_POOL_SIZE: Final = re.compile(r"\b(\d{1,15})\s*\(0x[0-9a-f]+\)\s*KB")
_NO_UUID: Final = "GPU-XX"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Agent:
    fields: dict[str, str]
    """By name, the first of each: those of its pools and caches come later."""
    isa: str
    """E.g. `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`."""
    memory_kilobytes: int

    def field(self, name: str) -> str:
        return self.fields.get(name, "")


def parse(text: str) -> GpuListing:
    """Parse the GPUs among the agents, in their order; without agents there is a problem."""
    parts = _AGENT_HEADING.split(text)
    if len(parts) < 3:
        return recognise_problem(text, _PROBLEMS)

    # The split alternates the numbers of agents with their texts.
    agents = [_parse_agent(agent_text) for agent_text in parts[2::2]]
    gpu_agents = [agent for agent in agents if agent.field("Device Type") == "GPU"]
    if not gpu_agents:
        return GpuListing(
            problem="no-device",
            message="no agent is a GPU",
        )

    return GpuListing(
        gpus=tuple(_build_gpu(index, agent) for index, agent in enumerate(gpu_agents))
    )


def _parse_agent(text: str) -> _Agent:
    fields: dict[str, str] = {}
    isa = ""

    for name, value in _iter_fields(text):
        fields.setdefault(name, value)
        if not isa and name == "Name" and "--gfx" in value:
            isa = value

    return _Agent(
        fields=fields,
        isa=isa,
        memory_kilobytes=_find_global_memory(text),
    )


def _iter_fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _find_global_memory(text: str) -> int:
    """Return the kilobytes of the agent's first pool of global memory; 0 where it has none."""
    for pool in _POOL_HEADING.split(text)[1:]:
        if re.search(r"Segment:\s+GLOBAL", pool):
            size = _POOL_SIZE.search(pool)
            return int(size[1]) if size else 0

    return 0


def _build_gpu(index: int, agent: _Agent) -> ListedGpu:
    isa = agent.isa.partition("--")[2]
    # The agent of a GPU is named by its arch; older versions have it in the ISA alone.
    arch = _ARCH.search(agent.field("Name")) or _ARCH.search(isa)
    uuid = agent.field("Uuid")

    return ListedGpu(
        index=index,
        name=agent.field("Marketing Name") or agent.field("Name"),
        arch=arch[0] if arch else "",
        features=isa.partition(":")[2],
        uuid=uuid if uuid != _NO_UUID else "",
        memory_bytes=agent.memory_kilobytes << 10,
        compute_units=_leading_number(agent.field("Compute Unit")),
    )


def _leading_number(text: str) -> int:
    digits = re.match(r"\d{1,9}(?!\d)", text)
    return int(digits[0]) if digits else 0
