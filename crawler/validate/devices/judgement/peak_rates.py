"""Peak memory bandwidth and arithmetic rate of a device, from data sheets or its driver."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from crawler.validate.devices.runner_io.report import DeviceLine

_CACHE_FACTOR: Final = 8.0
"""Times its memory's bandwidth: no cache of these devices is faster, so nothing moves bytes in
less time.
"""
MIN_KERNEL_MS: Final = 0.0005
"""No kernel begins and ends in less."""


class _Model(NamedTuple):
    """Peaks of a model, as the data sheets of AMD and NVIDIA state them."""

    name: str
    bandwidth_gb: float
    """Peak bandwidth of its memory in GB/s."""
    vector_tflops: float
    """TFLOP/s of vectors of float."""


# The first model whose name is part of the device's: longer names come before their prefixes.
_MODELS: Final = (
    _Model("MI210", 1638.0, 22.6),
    _Model("MI250X", 1638.0, 23.9),  # each of its two devices
    _Model("MI250", 1638.0, 22.6),
    _Model("MI300A", 5300.0, 122.6),
    _Model("MI300X", 5300.0, 163.4),
    _Model("MI325X", 6000.0, 163.4),
    _Model("RX 7900 XTX", 960.0, 61.4),
    _Model("RX 7900 XT", 800.0, 51.5),
    _Model("A100", 2039.0, 19.5),
    _Model("H100 PCIe", 2000.0, 51.2),
    _Model("H100", 3350.0, 66.9),
    _Model("H200", 4800.0, 66.9),
    _Model("RTX 4090", 1008.0, 82.6),
)
_COMPUTE_PARTITIONS: Final = {"DPX": 2, "TPX": 3, "QPX": 4, "CPX": 8}
"""How many devices one of AMD's works as, by its compute partition mode."""
_MAX_PARTITIONS: Final = {"MI300A": 6}
"""Dies of models that have fewer than eight: their smallest partition is one die."""
_MIG_SHARES: Final = {
    "1g": (1 / 7, 1 / 8),
    "2g": (2 / 7, 2 / 8),
    "3g": (3 / 7, 4 / 8),
    "4g": (4 / 7, 4 / 8),
}
"""Shares of a MIG instance of NVIDIA's in the multiprocessors and in the memory."""
_FLOAT_LANES: Final = {"sm_70": 64, "sm_75": 64, "sm_80": 64}
"""Operations of float that a multiprocessor begins in a clock, where it is not the default."""
_DEFAULT_NVIDIA_LANES: Final = 128
_DEFAULT_AMD_LANES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakRates:
    """What a device cannot exceed."""

    bandwidth: float
    """Bytes a second from memory; 0 where it is not known."""
    operations: float = 0.0
    """Of float a second, a fused multiplication and addition being two; 0 where it is not
    known.
    """
    stated_by: str
    """`data sheet`, `driver`, or empty."""

    def minimum_write_ms(self, written_bytes: int) -> float:
        """Return the least time in milliseconds in which so many bytes can be written."""
        if not self.bandwidth:
            return MIN_KERNEL_MS

        milliseconds = 1000 * written_bytes / (self.bandwidth * _CACHE_FACTOR)
        return max(MIN_KERNEL_MS, milliseconds)

    def roofline_ms(self, moved_bytes: int, operations: int) -> float:
        """Return the time in milliseconds that the roofline model allows for so much work.

        It is 0 where the peaks are not known.
        """
        memory_seconds = moved_bytes / self.bandwidth if self.bandwidth else 0.0
        compute_seconds = operations / self.operations if self.operations else 0.0

        return 1000 * max(memory_seconds, compute_seconds)


def find_peak_rates(device: DeviceLine | None, partition: str = "") -> PeakRates:
    """Return the peak rates of a device, or of one of its partitions.

    They come from the data sheet of a known model, else from the clocks that the driver states.
    """
    if device is None:
        return PeakRates(
            bandwidth=0.0,
            stated_by="",
        )

    for model in _MODELS:
        if model.name in device.name:
            compute_share, memory_share = _partition_shares(model.name, partition)
            return PeakRates(
                bandwidth=model.bandwidth_gb * 1e9 * memory_share,
                operations=model.vector_tflops * 1e12 * compute_share,
                stated_by="data sheet",
            )

    return _rates_of_clocks(device)


def _rates_of_clocks(device: DeviceLine) -> PeakRates:
    # Double data rate: both edges of the clock carry a bit on each line.
    transfers = 2 * device.memory_clock_khz * 1e3
    bandwidth = transfers * device.memory_bus_bits / 8

    # AMD's compute units and NVIDIA's multiprocessors differ in lanes.
    default_lanes = _DEFAULT_AMD_LANES
    if device.arch.startswith("sm_"):
        default_lanes = _DEFAULT_NVIDIA_LANES

    lanes = _FLOAT_LANES.get(device.arch, default_lanes)
    operations = 2.0 * lanes * device.multiprocessors * device.clock_khz * 1e3

    return PeakRates(
        bandwidth=bandwidth,
        operations=operations,
        stated_by="driver" if bandwidth or operations else "",
    )


def _partition_shares(model_name: str, partition: str) -> tuple[float, float]:
    """Return the shares of a partition in its device's arithmetic and memory bandwidth.

    A partition is `MIG 1g.10gb`, or a compute mode of AMD's with a memory mode: `CPX/NPS4`.
    """
    # Slices of memory and of multiprocessors differ: `3g` has three and four.
    mig_profile = re.match(r"MIG (\dg)\b", partition)
    if mig_profile:
        return _MIG_SHARES.get(mig_profile[1], (1.0, 1.0))

    compute_mode = partition.partition("/")[0]
    partition_count = _COMPUTE_PARTITIONS.get(compute_mode, 1)
    max_partitions = _MAX_PARTITIONS.get(model_name, partition_count)

    memory_mode = re.search(r"\bNPS(\d)", partition)
    domain_count = int(memory_mode[1]) if memory_mode else 1

    return 1 / min(partition_count, max_partitions), 1 / max(1, domain_count)
