"""Read clocks and temperature of a GPU, where no privileges are needed."""

from __future__ import annotations

import ctypes
from pathlib import Path

_DRM = Path("/sys/class/drm")


def read_sensors(runtime: str) -> dict[str, float]:
    """Return what is known: `celsius`, `mhz`, `memory_mhz`; nothing where nothing is."""
    try:
        return _of_amd(_DRM) if runtime == "rocm" else _of_nvidia()
    except (OSError, ValueError, AttributeError):
        return {}


def _of_amd(drm: Path) -> dict[str, float]:
    """Read the hardware monitor of the first GPU whose device file this process can open."""
    for node in sorted(drm.glob("renderD*")):
        if not (Path("/dev/dri") / node.name).exists() and drm == _DRM:
            continue
        for monitor in sorted((node / "device" / "hwmon").glob("hwmon*")):
            files = {
                "celsius": ("temp1_input", 1e-3),
                "mhz": ("freq1_input", 1e-6),
                "memory_mhz": ("freq2_input", 1e-6),
            }
            there = {
                name: (monitor / file, scale) for name, (file, scale) in files.items()
            }
            return {
                name: round(float(file.read_text()) * scale, 1)
                for name, (file, scale) in there.items()
                if file.is_file()
            }
    return {}


def _of_nvidia() -> dict[str, float]:
    library = ctypes.CDLL("libnvidia-ml.so.1")
    device, value = ctypes.c_void_p(), ctypes.c_uint(0)
    if library.nvmlInit_v2() or library.nvmlDeviceGetHandleByIndex_v2(
        0, ctypes.byref(device)
    ):
        return {}
    found = {}
    if not library.nvmlDeviceGetTemperature(device, 0, ctypes.byref(value)):
        found["celsius"] = float(value.value)
    for name, clock in (("mhz", 1), ("memory_mhz", 2)):
        if not library.nvmlDeviceGetClockInfo(device, clock, ctypes.byref(value)):
            found[name] = float(value.value)
    library.nvmlShutdown()
    return found
