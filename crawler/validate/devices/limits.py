"""How fast devices can be at most, by what their drivers and makers tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crawler.validate.devices.told import DeviceLine

_OF_CACHE: Final = 8.0
"""Times its memory's bandwidth: no cache of these devices is faster, so nothing moves bytes in less time."""
SHORTEST_MS: Final = 0.0005
"""No kernel begins and ends in less."""
# peak bandwidth of memory in GB/s, as AMD's and NVIDIA's data sheets have it
_BANDWIDTHS: Final = (
    ("MI210", 1638.0),
    ("MI250X", 1638.0),  # of each of its two devices
    ("MI250", 1638.0),
    ("MI300A", 5300.0),
    ("MI300X", 5300.0),
    ("MI325X", 6000.0),
    ("RX 7900 XTX", 960.0),
    ("RX 7900 XT", 800.0),
    ("A100", 2039.0),
    ("H100 PCIe", 2000.0),
    ("H100", 3350.0),
    ("H200", 4800.0),
    ("RTX 4090", 1008.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What a device cannot exceed."""

    bandwidth: float
    """Bytes a second from memory; 0 where it is not known."""
    stated_by: str
    """`data sheet`, `driver`, or empty."""

    def floor_ms(self, written_bytes: int) -> float:
        """Return the time under which nothing can have written so much, in milliseconds."""
        if not self.bandwidth:
            return SHORTEST_MS
        return max(SHORTEST_MS, 1000 * written_bytes / (self.bandwidth * _OF_CACHE))


def ceiling(device: DeviceLine | None) -> Ceiling:
    """Return the limits of a device: of its data sheet where its model is known, else by its clock and bus."""
    if device is None:
        return Ceiling(bandwidth=0.0, stated_by="")
    for model, gigabytes in _BANDWIDTHS:
        if model in device.name:
            return Ceiling(bandwidth=gigabytes * 1e9, stated_by="data sheet")
    # both edges of the clock carry a bit a line
    told = 2 * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8
    return Ceiling(bandwidth=told, stated_by="driver" if told else "")
