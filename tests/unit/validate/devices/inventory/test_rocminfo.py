"""What `rocminfo` prints of the agents of a machine."""

from __future__ import annotations

import pytest

from crawler.validate.devices.inventory.rocminfo import parse


def agent(number: int, *lines: str) -> str:
    bar = "*" * 7
    return "\n".join([f"{bar}  ", f"Agent {number}  ", f"{bar}  ", *lines, ""])


CPU = agent(1, "  Name:  AMD EPYC", "  Uuid:  CPU-XX", "  Device Type:  CPU")
POOLS = (
    "  Pool Info:",
    "    Pool 1",
    "      Segment:   GROUP",
    "      Size:      64(0x40) KB",
    "    Pool 2",
    "      Segment:   GLOBAL; FLAGS: COARSE GRAINED",
    "      Size:      67092480(0x3ffc000) KB",
    "    Pool 3",
    "      Segment:   GLOBAL; FLAGS: FINE GRAINED",
    "      Size:      1024(0x400) KB",
)
GPU = agent(
    2,
    "  Name:             gfx90a",
    "  Uuid:             GPU-12ab",
    "  Marketing Name:   AMD Instinct MI210",
    "  Device Type:      GPU",
    "  Compute Unit:     104",
    *POOLS,
    "  ISA 1",
    "    Name:           amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
)


def test_a_gpu_has_its_arch_features_memory_and_units() -> None:
    (gpu,) = parse(CPU + GPU).gpus
    assert gpu.name == "AMD Instinct MI210"
    assert gpu.arch == "gfx90a"
    assert gpu.features == "sramecc+:xnack-"
    assert gpu.uuid == "GPU-12ab"
    # of the first global pool, not of the group's
    assert gpu.memory_bytes == 67092480 << 10
    assert gpu.compute_units == 104


def test_gpus_are_numbered_among_themselves() -> None:
    listing = parse(CPU + GPU + GPU.replace("Agent 2", "Agent 3"))
    assert [gpu.index for gpu in listing.gpus] == [0, 1]


def test_an_older_version_names_the_arch_in_the_isa_alone() -> None:
    text = GPU.replace("  Name:             gfx90a", "  Name:             Vega 20")
    (gpu,) = parse(CPU + text).gpus
    assert gpu.arch == "gfx90a"


def test_without_a_marketing_name_its_own_is_taken() -> None:
    text = GPU.replace("AMD Instinct MI210", "")
    assert parse(CPU + text).gpus[0].name == "gfx90a"


def test_what_is_not_told_is_empty() -> None:
    text = agent(2, "  Device Type:  GPU", "  Uuid:  GPU-XX", "  Compute Unit:  many")
    (gpu,) = parse(CPU + text).gpus
    assert (gpu.name, gpu.arch, gpu.features, gpu.uuid) == ("", "", "", "")
    assert (gpu.memory_bytes, gpu.compute_units) == (0, 0)


def test_a_global_pool_without_a_size_is_no_memory() -> None:
    text = GPU.replace("67092480(0x3ffc000) KB", "unknown")
    assert parse(CPU + text).gpus[0].memory_bytes == 0


def test_a_machine_whose_agents_are_all_cpus_has_no_device() -> None:
    listing = parse(CPU)
    assert (listing.gpus, listing.problem) == ((), "no-device")
    assert listing.message == "no agent is a GPU"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ROCk module is NOT loaded, possibly no GPU devices", "no-kernel-module"),
        ("Unable to open /dev/kfd read-write: Permission denied", "no-permission"),
        ("user is not member of the group render", "no-permission"),
        ("hsa api call failure: HSA_STATUS_ERROR_OUT_OF_RESOURCES", "no-permission"),
        ("hsa api call failure: HSA_STATUS_ERROR: unknown", "tool-failed"),
        ("", "tool-failed"),
    ],
)
def test_without_agents_it_is_said_what_is_wrong(text: str, problem: str) -> None:
    listing = parse(text)
    assert (listing.gpus, listing.problem) == ((), problem)
