"""Read clocks and temperature of a GPU, where no privileges are needed."""

from __future__ import annotations

import ctypes
from pathlib import Path

_DRM = Path("/sys/class/drm")
# Files of the kernel's hardware monitor, with the factor to the unit of the reading.
_AMD_FILES = (
    ("celsius", "temp1_input", 1e-3),
    ("mhz", "freq1_input", 1e-6),
    ("memory_mhz", "freq2_input", 1e-6),
)
# Numbers of nvmlClockType_t and of NVML_TEMPERATURE_GPU.
_NVML_CLOCKS = (("mhz", 1), ("memory_mhz", 2))
_NVML_GPU_TEMPERATURE = 0


def read_sensors(runtime: str) -> dict[str, float]:
    """Return the readings that there are of `celsius`, `mhz` and `memory_mhz`."""
    try:
        if runtime == "rocm":
            return read_amd_sensors(_DRM)

        return _read_nvidia_sensors()
    except (OSError, ValueError, AttributeError):
        return {}


def read_amd_sensors(drm: Path) -> dict[str, float]:
    """Read the hardware monitor of the first GPU whose device file this process can open."""
    for node in sorted(drm.glob("renderD*")):
        # A container sees the monitors of all GPUs, and may open one of them.
        is_hidden = not (Path("/dev/dri") / node.name).exists()
        if is_hidden and drm == _DRM:
            continue

        for monitor in sorted((node / "device" / "hwmon").glob("hwmon*")):
            return _read_monitor(monitor)

    return {}


def _read_monitor(monitor: Path) -> dict[str, float]:
    readings: dict[str, float] = {}
    for name, file_name, factor in _AMD_FILES:
        file = monitor / file_name
        if file.is_file():
            readings[name] = round(float(file.read_text()) * factor, 1)

    return readings


def _read_nvidia_sensors() -> dict[str, float]:
    library = ctypes.CDLL("libnvidia-ml.so.1")
    device = ctypes.c_void_p()
    value = ctypes.c_uint(0)
    if library.nvmlInit_v2():
        return {}
    if library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)):
        return {}

    readings: dict[str, float] = {}
    if not library.nvmlDeviceGetTemperature(
        device, _NVML_GPU_TEMPERATURE, ctypes.byref(value)
    ):
        readings["celsius"] = float(value.value)

    for name, clock in _NVML_CLOCKS:
        if not library.nvmlDeviceGetClockInfo(device, clock, ctypes.byref(value)):
            readings[name] = float(value.value)

    library.nvmlShutdown()
    return readings
