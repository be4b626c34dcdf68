"""Read what kernels use from the log of NVIDIA's assembler."""

from __future__ import annotations

import re
from typing import Final

from crawler.model import Resources

# lines of ptxas's log
_ENTRY_LINE: Final = re.compile(r"Compiling entry function '(?P<symbol>[\w$]+)'")
_RESOURCE_PATTERNS: Final = {
    "registers": re.compile(r"Used (\d+) registers"),
    "shared_bytes": re.compile(r"(\d+) bytes smem"),
    "scratch_bytes": re.compile(r"(\d+) bytes stack frame"),
    "spills": re.compile(r"(\d+) bytes spill stores"),
}

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", for 8.0 and
# 9.0: 64 K registers and 64 resident warps a multiprocessor; registers are given to warps in
# units of 256, warps in units of 4
_REGISTERS_PER_MULTIPROCESSOR: Final = 64 << 10
_MAX_WARPS: Final = 64
_REGISTER_UNIT: Final = 256
_WARP_UNIT: Final = 4
_LANES: Final = 32


def parse_ptxas_resources(log: str) -> tuple[Resources, ...]:
    """Return what each kernel uses, as `ptxas -v` says it: spills are bytes stored, occupancy
    is warps.
    """
    entries = list(_ENTRY_LINE.finditer(log))
    ends = [*(entry.start() for entry in entries[1:]), len(log)]

    return tuple(
        _parse_resources(entry["symbol"], log[entry.end() : end])
        for entry, end in zip(entries, ends, strict=False)
    )


def warps_per_multiprocessor(registers: int) -> int:
    """Return how many warps a multiprocessor holds at most, by their registers alone."""
    registers_per_warp = max(registers, 1) * _LANES
    units_per_warp = -(-registers_per_warp // _REGISTER_UNIT)
    warps = _REGISTERS_PER_MULTIPROCESSOR // (units_per_warp * _REGISTER_UNIT)
    return min(_MAX_WARPS, warps // _WARP_UNIT * _WARP_UNIT)


def _parse_resources(symbol: str, log: str) -> Resources:
    numbers = {}
    for name, pattern in _RESOURCE_PATTERNS.items():
        match = pattern.search(log)
        numbers[name] = int(match[1]) if match else 0

    occupancy = warps_per_multiprocessor(numbers["registers"])

    return Resources(symbol=symbol, **numbers, occupancy=occupancy)
