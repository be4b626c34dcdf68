"""What a device can do at most, and what is made of times."""

from __future__ import annotations

import pytest

from crawler.validate.devices.judgement.peak_rates import MIN_KERNEL_MS, find_peak_rates
from crawler.validate.devices.runner_io.report import DeviceLine


@pytest.mark.parametrize(
    ("name", "gigabytes"),
    [
        ("AMD Instinct MI210", 1638),
        ("AMD Instinct MI300X", 5300),
        ("NVIDIA H100 80GB HBM3", 3350),
        ("NVIDIA H200", 4800),
    ],
)
def test_a_known_model_has_the_bandwidth_of_its_data_sheet(
    name: str, gigabytes: int
) -> None:
    peak_rates = find_peak_rates(DeviceLine(name=name))
    assert (peak_rates.bandwidth, peak_rates.stated_by) == (
        gigabytes * 1e9,
        "data sheet",
    )


def test_any_other_has_what_its_driver_tells() -> None:
    peak_rates = find_peak_rates(
        DeviceLine(name="some card", memory_clock_khz=1_000_000, memory_bus_bits=256)
    )
    assert (peak_rates.bandwidth, peak_rates.stated_by) == (64e9, "driver")


@pytest.mark.parametrize(
    ("name", "partition", "gigabytes", "teraflops"),
    [
        ("AMD Instinct MI300X", "SPX/NPS1", 5300, 163.4),
        ("AMD Instinct MI300X", "CPX/NPS4", 5300 / 4, 163.4 / 8),
        ("AMD Instinct MI300A", "CPX/NPS1", 5300, 122.6 / 6),
        ("AMD Instinct MI250X", "", 1638, 23.9),
        ("NVIDIA H100 80GB HBM3", "MIG 1g.10gb", 3350 / 8, 66.9 / 7),
        ("NVIDIA H100 80GB HBM3", "MIG 7g.80gb", 3350, 66.9),
    ],
)
def test_a_part_of_a_device_has_its_part_of_the_peaks(
    name: str, partition: str, gigabytes: float, teraflops: float
) -> None:
    peak_rates = find_peak_rates(DeviceLine(name=name), partition)
    assert (peak_rates.bandwidth, peak_rates.operations) == pytest.approx(
        (gigabytes * 1e9, teraflops * 1e12)
    )


def test_the_roofline_is_what_takes_longer_moving_or_computing() -> None:
    peak_rates = find_peak_rates(DeviceLine(name="AMD Instinct MI210"))
    assert peak_rates.roofline_ms(1638 * 10**6, 0) == pytest.approx(1.0)
    assert peak_rates.roofline_ms(1638 * 10**6, 226 * 10**9) == pytest.approx(10.0)
    assert find_peak_rates(None).roofline_ms(1 << 30, 1 << 30) == 0
    device = DeviceLine(
        name="some card", arch="gfx1030", multiprocessors=40, clock_khz=1_000_000
    )
    assert find_peak_rates(device).roofline_ms(0, 2 * 64 * 40 * 10**6) == pytest.approx(
        1.0
    )


def test_where_nothing_is_known_only_the_shortest_launch_bounds_a_time() -> None:
    assert find_peak_rates(None).minimum_write_ms(1 << 40) == MIN_KERNEL_MS
    assert find_peak_rates(DeviceLine(name="AMD Instinct MI210")).minimum_write_ms(
        1 << 30
    ) == pytest.approx(0.082, rel=0.01)
