"""What `nvidia-smi` prints of GPUs and their parts."""

from __future__ import annotations

import pytest

from crawler.validate.devices.inventory.nvidia_smi import (
    QUERY_ARGUMENTS,
    parse,
    parse_mig_partitions,
)

ROW = "0, NVIDIA A100-SXM4-40GB, GPU-1a, 8.0, 40960, 535.161.08, Disabled\n"


def test_the_query_asks_for_what_is_read() -> None:
    fields = QUERY_ARGUMENTS[0].partition("=")[2].split(",")
    assert len(fields) == len(ROW.split(", "))


def test_a_gpu_has_its_arch_its_memory_and_the_drivers_version() -> None:
    listing = parse(ROW)
    (gpu,) = listing.gpus
    assert listing.driver == "535.161.08"
    assert (gpu.index, gpu.name, gpu.uuid) == (0, "NVIDIA A100-SXM4-40GB", "GPU-1a")
    assert (gpu.arch, gpu.memory_bytes, gpu.partition) == ("sm_80", 40960 << 20, "")


@pytest.mark.parametrize(
    ("capability", "arch"), [("9.0", "sm_90"), ("12.0", "sm_120"), ("[N/A]", "")]
)
def test_an_arch_is_called_as_compilers_call_it(capability: str, arch: str) -> None:
    assert parse(ROW.replace("8.0", capability)).gpus[0].arch == arch


def test_a_gpu_that_is_in_parts_says_so() -> None:
    assert parse(ROW.replace("Disabled", "Enabled")).gpus[0].partition == "MIG"
    assert parse(ROW.replace("Disabled", "[N/A]")).gpus[0].partition == ""


def test_memory_that_is_not_told_is_none() -> None:
    assert parse(ROW.replace("40960", "[N/A]")).gpus[0].memory_bytes == 0


def test_lines_that_are_no_rows_are_passed_over() -> None:
    text = f"WARNING: infoROM is corrupted\n{ROW}x{ROW}0, too, short\n"
    assert len(parse(text).gpus) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
            "no-kernel-module",
        ),
        (
            "Failed to initialize NVML: Driver/library version mismatch",
            "driver-mismatch",
        ),
        ("Failed to initialize NVML: Insufficient Permissions", "no-permission"),
        ("No devices were found", "no-device"),
        ("segmentation fault", "tool-failed"),
        ('"a field without end', "tool-failed"),
    ],
)
def test_without_gpus_it_is_said_what_is_wrong(text: str, problem: str) -> None:
    listing = parse(text)
    assert (listing.gpus, listing.problem) == ((), problem)
    assert listing.message == text


def test_parts_stand_below_their_gpu() -> None:
    text = (
        "GPU 0: NVIDIA A100 (UUID: GPU-aa)\n"
        "  MIG 3g.20gb     Device  0: (UUID: MIG-1)\n"
        "  MIG 1g.5gb      Device  1: (UUID: MIG-2)\n"
        "GPU 1: NVIDIA A100 (UUID: GPU-bb)\n"
        "GPU 2: NVIDIA H100 (UUID: GPU-cc)\n"
        "  MIG 7g.80gb     Device  0: (UUID: MIG-3)\n"
    )
    partitions = parse_mig_partitions(text)
    assert {
        uuid: [(gpu.index, gpu.partition, gpu.uuid) for gpu in gpus]
        for uuid, gpus in partitions.items()
    } == {
        "GPU-aa": [(0, "MIG 3g.20gb", "MIG-1"), (0, "MIG 1g.5gb", "MIG-2")],
        "GPU-bb": [],
        "GPU-cc": [(2, "MIG 7g.80gb", "MIG-3")],
    }


def test_a_text_without_gpus_has_no_parts() -> None:
    assert parse_mig_partitions("  MIG 1g.5gb  Device  0: (UUID: MIG-1)\n") == {}
