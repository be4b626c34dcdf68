"""Clocks and temperature that the system tells of a GPU."""

from __future__ import annotations

from pathlib import Path

from crawler.validate.runner.sensors import read_amd_sensors, read_sensors


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
