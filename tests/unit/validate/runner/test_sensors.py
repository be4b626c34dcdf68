"""Clocks and temperature that the system tells of a GPU, or NVIDIA's library does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crawler.validate.runner.sensors import read_amd_sensors, read_sensors

LIBRARY = """
static int failing() { return FAILING; }
extern "C" int nvmlInit_v2() { return failing() == 1; }
extern "C" int nvmlShutdown() { return 0; }
extern "C" int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = device;
  return failing() == 2 || index;
}
extern "C" int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = 61 + sensor;
  return failing() == 3;
}
extern "C" int nvmlDeviceGetClockInfo(void*, int clock, unsigned* megahertz) {
  *megahertz = 1000 * clock;
  return failing() == 4 && clock == 2;
}
"""
PRINT_READINGS = (
    "import json; from crawler.validate.runner.sensors import read_sensors; "
    "print(json.dumps(read_sensors('cuda')))"
)


@pytest.mark.apt("g++")
@pytest.mark.parametrize(
    ("failing", "readings"),
    [
        (0, {"celsius": 61.0, "mhz": 1000.0, "memory_mhz": 2000.0}),
        (1, {}),
        (2, {}),
        (3, {"mhz": 1000.0, "memory_mhz": 2000.0}),
        (4, {"celsius": 61.0, "mhz": 1000.0}),
    ],
)
def test_readings_are_what_the_library_tells(
    tmp_path: Path, failing: int, readings: dict[str, float]
) -> None:
    library = tmp_path / "libnvidia-ml.so.1"
    command = ["g++", "-shared", "-fPIC", f"-DFAILING={failing}", "-x", "c++", "-"]
    subprocess.run([*command, "-o", library], input=LIBRARY.encode(), check=True)
    completed = subprocess.run(
        [sys.executable, "-c", PRINT_READINGS],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    assert json.loads(completed.stdout) == readings


def test_clocks_are_read_where_the_system_tells_them(tmp_path: Path) -> None:
    monitor = tmp_path / "renderD128/device/hwmon/hwmon3"
    monitor.mkdir(parents=True)
    (monitor / "temp1_input").write_text("47000\n")
    (monitor / "freq1_input").write_text("1700000000\n")
    assert read_amd_sensors(tmp_path) == {"celsius": 47.0, "mhz": 1700.0}
    assert read_amd_sensors(tmp_path / "nothing") == {}


def test_a_gpu_without_sensors_has_no_readings(tmp_path: Path) -> None:
    monitor = tmp_path / "renderD128/device/hwmon/hwmon3"
    monitor.mkdir(parents=True)
    assert read_amd_sensors(tmp_path) == {}
    assert set(read_sensors("cuda")) <= {"celsius", "mhz", "memory_mhz"}
