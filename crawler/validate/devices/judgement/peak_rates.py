"""Peak memory bandwidth and arithmetic rate of a device, from data sheets or its driver."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.validate.devices.runner_io.report import DeviceLine

_OF_CACHE: Final = 8.0
"""Times its memory's bandwidth: no cache of these devices is faster, so nothing moves bytes in
less time.
"""
MIN_KERNEL_MS: Final = 0.0005
"""No kernel begins and ends in less."""
# peak bandwidth of memory in GB/s, and TFLOP/s of vectors of float, as AMD's and NVIDIA's data
# sheets have them
_PEAKS: Final = (
    ("MI210", 1638.0, 22.6),
    ("MI250X", 1638.0, 23.9),  # of each of its two devices
    ("MI250", 1638.0, 22.6),
    ("MI300A", 5300.0, 122.6),
    ("MI300X", 5300.0, 163.4),
    ("MI325X", 6000.0, 163.4),
    ("RX 7900 XTX", 960.0, 61.4),
    ("RX 7900 XT", 800.0, 51.5),
    ("A100", 2039.0, 19.5),
    ("H100 PCIe", 2000.0, 51.2),
    ("H100", 3350.0, 66.9),
    ("H200", 4800.0, 66.9),
    ("RTX 4090", 1008.0, 82.6),
)
_PARTS: Final = {"DPX": 2, "TPX": 3, "QPX": 4, "CPX": 8}
"""How many devices one of AMD's works as."""
_DIES: Final = {"MI300A": 6}
"""Those of a device of which the smallest part is one; eight, where it is not here."""
_SLICES: Final = {
    "1g": (1 / 7, 1 / 8),
    "2g": (2 / 7, 2 / 8),
    "3g": (3 / 7, 4 / 8),
    "4g": (4 / 7, 4 / 8),
}
"""What a part of one of NVIDIA's has of its multiprocessors, and of its memory."""
_LANES: Final = {"sm_70": 64, "sm_75": 64, "sm_80": 64}
"""Operations of float that a multiprocessor begins in a clock; 128 of NVIDIA's others, 64 of
AMD's.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakRates:
    """What a device cannot exceed."""

    bandwidth: float
    """Bytes a second from memory; 0 where it is not known."""
    operations: float = 0.0
    """Of float a second, a multiplication and an addition that round once being two; 0 where it
    is not known.
    """
    stated_by: str
    """`data sheet`, `driver`, or empty."""

    def minimum_write_ms(self, written_bytes: int) -> float:
        """Return the time under which nothing can have written so much, in milliseconds."""
        if not self.bandwidth:
            return MIN_KERNEL_MS
        return max(MIN_KERNEL_MS, 1000 * written_bytes / (self.bandwidth * _OF_CACHE))

    def roofline_ms(self, moved_bytes: int, operations: int) -> float:
        """Return the time that the device's peaks allow for so much, in milliseconds; 0 where
        they are not known.
        """
        moving = moved_bytes / self.bandwidth if self.bandwidth else 0.0
        computing = operations / self.operations if self.operations else 0.0
        return 1000 * max(moving, computing)


def find_peak_rates(device: DeviceLine | None, partition: str = "") -> PeakRates:
    """Return the limits of a device, or of one of its parts: of its data sheet where its model
    is known, else by what
    its driver tells of its clocks.
    """
    if device is None:
        return PeakRates(bandwidth=0.0, stated_by="")
    for model, gigabytes, teraflops in _PEAKS:
        if model in device.name:
            computing, moving = _part(model, partition)
            return PeakRates(
                bandwidth=gigabytes * 1e9 * moving,
                operations=teraflops * 1e12 * computing,
                stated_by="data sheet",
            )
    # both edges of the clock carry a bit a line
    told = 2 * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8
    lanes = _LANES.get(device.arch, 128 if device.arch.startswith("sm_") else 64)
    operations = 2.0 * lanes * device.multiprocessors * device.clock_khz * 1e3
    return PeakRates(
        bandwidth=told,
        operations=operations,
        stated_by="driver" if told or operations else "",
    )


def _part(model: str, partition: str) -> tuple[float, float]:
    """Return what a part has of its device's lanes and of its memory's bandwidth."""
    sliced = re.match(r"MIG (\dg)\b", partition)
    if sliced:
        return _SLICES.get(sliced[1], (1.0, 1.0))
    parts = _PARTS.get(partition.partition("/")[0], 1)
    domains = re.search(r"\bNPS(\d)", partition)
    return 1 / (min(parts, _DIES.get(model, parts))), 1 / max(
        1, int(domains[1]) if domains else 1
    )
