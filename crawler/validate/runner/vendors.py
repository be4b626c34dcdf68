"""Names, attribute numbers and error codes of the two vendors' driver interfaces."""

from __future__ import annotations

from typing import NamedTuple


class Vendor(NamedTuple):
    """One vendor's driver."""

    name: str
    """`rocm` or `cuda`."""
    libraries: tuple[str, ...]
    """Names by which the library may be found, the likeliest first."""
    calls: dict[str, str]
    """Functions of the library, by their name in HIP without the prefix."""
    attributes: dict[str, int]
    """Numbers of the properties of a device."""
    has_contexts: bool
    """Whether a device is used through a context, as in CUDA's driver interface."""


_AMD_ATTRIBUTES = {
    "threads_per_block": 56,
    "block_x": 26,
    "block_y": 27,
    "block_z": 28,
    "grid_x": 29,
    "grid_y": 30,
    "grid_z": 31,
    "shared_per_block": 74,
    "shared_per_block_optin": 74,
    "warp": 87,
    "clock_khz": 5,
    "multiprocessors": 63,
    "memory_clock_khz": 60,
    "memory_bus_bits": 59,
    "l2_bytes": 19,
    "major": 23,
    "minor": 61,
}
_NVIDIA_ATTRIBUTES = {
    "threads_per_block": 1,
    "block_x": 2,
    "block_y": 3,
    "block_z": 4,
    "grid_x": 5,
    "grid_y": 6,
    "grid_z": 7,
    "shared_per_block": 8,
    "shared_per_block_optin": 97,
    "warp": 10,
    "clock_khz": 13,
    "multiprocessors": 16,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "major": 75,
    "minor": 76,
}
# Functions that both have: their name in HIP, and in CUDA.
_CALLS = (
    ("Init", "Init"),
    ("DriverGetVersion", "DriverGetVersion"),
    ("GetDeviceCount", "DeviceGetCount"),
    ("DeviceGet", "DeviceGet"),
    ("DeviceGetName", "DeviceGetName"),
    ("DeviceGetAttribute", "DeviceGetAttribute"),
    ("DeviceSynchronize", "CtxSynchronize"),
    ("MemGetInfo", "MemGetInfo_v2"),
    ("Malloc", "MemAlloc_v2"),
    ("Free", "MemFree_v2"),
    ("MemcpyHtoD", "MemcpyHtoD_v2"),
    ("MemcpyDtoH", "MemcpyDtoH_v2"),
    ("MemcpyDtoD", "MemcpyDtoD_v2"),
    ("MemsetD8", "MemsetD8_v2"),
    ("ModuleLoadData", "ModuleLoadData"),
    ("ModuleUnload", "ModuleUnload"),
    ("ModuleGetFunction", "ModuleGetFunction"),
    ("FuncGetAttribute", "FuncGetAttribute"),
    ("ModuleLaunchKernel", "LaunchKernel"),
    ("EventCreateWithFlags", "EventCreate"),
    ("EventRecord", "EventRecord"),
    ("EventSynchronize", "EventSynchronize"),
    ("EventElapsedTime", "EventElapsedTime"),
    ("EventDestroy", "EventDestroy_v2"),
)
_AMD_ONLY = {"SetDevice": "hipSetDevice", "GetErrorName": "hipGetErrorName"}
_NVIDIA_ONLY = {
    "GetErrorName": "cuGetErrorName",
    "DevicePrimaryCtxRetain": "cuDevicePrimaryCtxRetain",
    "DevicePrimaryCtxRelease": "cuDevicePrimaryCtxRelease_v2",
    "CtxSetCurrent": "cuCtxSetCurrent",
    "FuncSetAttribute": "cuFuncSetAttribute",
    "CtxResetPersistingL2Cache": "cuCtxResetPersistingL2Cache",
}
ROCM = Vendor(
    name="rocm",
    libraries=(
        "libamdhip64.so",
        "libamdhip64.so.7",
        "libamdhip64.so.6",
        "libamdhip64.so.5",
        "/opt/rocm/lib/libamdhip64.so",
    ),
    calls={**{name: "hip" + name for name, _ in _CALLS}, **_AMD_ONLY},
    attributes=_AMD_ATTRIBUTES,
    has_contexts=False,
)
CUDA = Vendor(
    name="cuda",
    libraries=("libcuda.so.1", "libcuda.so"),
    calls={**{name: "cu" + cuda_name for name, cuda_name in _CALLS}, **_NVIDIA_ONLY},
    attributes=_NVIDIA_ATTRIBUTES,
    has_contexts=True,
)
VENDORS = {vendor.name: vendor for vendor in (ROCM, CUDA)}

# Both vendors give the same numbers to the same errors.
ERROR_CODES = {
    1: "bad-launch",
    2: "device-memory",
    3: "no-driver",
    9: "bad-launch",
    34: "driver-stub",
    46: "device-unavailable",
    100: "no-device",
    101: "no-device",
    200: "not-loadable",
    209: "not-loadable",
    218: "not-loadable",
    222: "not-loadable",
    301: "not-loadable",
    302: "not-loadable",
    303: "not-loadable",
    500: "entry-missing",
    700: "illegal-address",
    701: "launch-resources",
    702: "launch-timeout",
    710: "assertion",
    714: "ecc-error",
    715: "illegal-instruction",
    716: "misaligned-address",
    719: "launch-failed",
    803: "driver-mismatch",
}
"""What an error's number means, as a stable slug."""
DEVICE_LOST_ERRORS = frozenset(
    {46, 214, 700, 702, 710, 714, 715, 716, 717, 718, 719, 999}
)
"""Errors after which nothing of a process works any more."""
