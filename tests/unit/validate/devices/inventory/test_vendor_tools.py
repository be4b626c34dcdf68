"""The vendors' programs of a machine, run as they are, and what their lists amount to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from crawler.validate.devices import doctor_report, gpu_detection
from crawler.validate.devices.inventory import vendor_tools
from crawler.validate.devices.inventory.vendor_tools import find_hip, list_gpus

FIXTURES = Path(__file__).resolve().parents[4] / "fixtures/devices"
InstallTools = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def install_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InstallTools]:
    """Put programs on the path that run a line of shell each, and no others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(vendor_tools, "_TOOL_FOLDERS", str(tmp_path / "none"))
    monkeypatch.setattr(gpu_detection, "_LIBRARY_FOLDERS", ())
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)

    def install(lines: Mapping[str, str]) -> Path:
        for name, line in lines.items():
            program = folder / name
            program.write_text(f"#!/bin/sh\n{line}\n")
            program.chmod(0o755)
        return folder

    list_gpus.cache_clear()
    find_hip.cache_clear()
    yield install
    list_gpus.cache_clear()
    find_hip.cache_clear()


def print_fixture(name: str) -> str:
    return f"exec /bin/cat {FIXTURES / name}"


def choose_fixture(query: str, listing: str) -> str:
    """Return what prints one text for `-L` and another for a query."""
    return (
        f'if [ "$1" = -L ]; then {print_fixture(listing)}; '
        f"else {print_fixture(query)}; fi"
    )


@pytest.mark.parametrize("runtime", ["rocm", "cuda"])
def test_a_machine_without_tools_lists_nothing(
    install_tools: InstallTools, runtime: str
) -> None:
    install_tools({})
    assert list_gpus(runtime) is None


def test_agents_of_amd_have_the_partitions_of_its_cards(
    install_tools: InstallTools,
) -> None:
    install_tools(
        {
            "rocminfo": print_fixture("rocminfo-mi300x-cpx.txt"),
            "rocm-smi": print_fixture("rocm-smi-mi300x-cpx.json"),
        }
    )
    listing = list_gpus("rocm")
    assert listing
    assert {gpu.arch for gpu in listing.gpus} == {"gfx942"}
    partitions = {gpu.partition for gpu in listing.gpus}
    assert all(partition.startswith("CPX") for partition in partitions)


@pytest.mark.parametrize(
    ("tool", "fixture"),
    [("rocminfo", "rocminfo-mi210.txt"), ("rocm-smi", "rocm-smi-mi250x.json")],
)
def test_one_of_amds_tools_is_enough(
    install_tools: InstallTools, tool: str, fixture: str
) -> None:
    install_tools({tool: print_fixture(fixture)})
    listing = list_gpus("rocm")
    assert listing
    assert {gpu.arch for gpu in listing.gpus} <= {"gfx90a", ""}
    assert listing.gpus


def test_a_card_in_parts_is_listed_as_its_parts(install_tools: InstallTools) -> None:
    line = choose_fixture("nvidia-smi-several.csv", "nvidia-smi-parts.txt")
    install_tools({"nvidia-smi": line})
    listing = list_gpus("cuda")
    assert listing
    assert [(gpu.index, gpu.partition) for gpu in listing.gpus] == [
        (0, ""),
        (1, "MIG 3g.20gb"),
        (1, "MIG 1g.5gb"),
        (2, ""),
    ]
    assert {gpu.arch for gpu in listing.gpus} == {"sm_80"}
    assert listing.driver == "535.161.08"


def test_a_card_whose_parts_are_not_listed_stays_whole(
    install_tools: InstallTools,
) -> None:
    line = choose_fixture("nvidia-smi-several.csv", "nvidia-smi-none.txt")
    install_tools({"nvidia-smi": line})
    listing = list_gpus("cuda")
    assert listing
    assert [gpu.partition for gpu in listing.gpus] == ["", "MIG", ""]


def test_cards_in_one_part_each_are_asked_for_once(
    install_tools: InstallTools, tmp_path: Path
) -> None:
    log = tmp_path / "calls"
    line = f"echo call >> {log}; {print_fixture('nvidia-smi-h100.csv')}"
    install_tools({"nvidia-smi": line})
    first = list_gpus("cuda")
    assert first is list_gpus("cuda")
    assert log.read_text() == "call\n"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("exit 3", "tool-failed"),
        ("echo 'No devices were found'; exit 6", "no-device"),
        ("echo 'NVIDIA-SMI has failed: Insufficient Permissions' >&2", "no-permission"),
        ("kill -9 $$", "tool-failed"),
    ],
)
def test_a_tool_that_fails_has_a_reason(
    install_tools: InstallTools, line: str, problem: str
) -> None:
    install_tools({"nvidia-smi": line})
    listing = list_gpus("cuda")
    assert listing
    assert (listing.gpus, listing.problem) == ((), problem)


def test_the_installed_hip_is_told(install_tools: InstallTools) -> None:
    folder = install_tools({})
    assert find_hip() is None
    find_hip.cache_clear()
    install_tools({"hipconfig": print_fixture("hipconfig.txt")})
    installation = find_hip()
    assert installation
    assert installation.platform == "amd"
    assert folder.is_dir()


def test_the_doctor_asks_nothing_of_a_machine_without_gpus(
    install_tools: InstallTools,
) -> None:
    install_tools({})
    components = doctor_report.describe_gpus()
    assert [component.name for component in components] == ["AMD GPUs", "NVIDIA GPUs"]
    for component in components:
        assert (component.found, component.remedy) == ("", "")


def test_the_doctor_tells_what_a_listed_gpu_lacks(install_tools: InstallTools) -> None:
    install_tools(
        {
            "nvidia-smi": print_fixture("nvidia-smi-h100.csv"),
            "rocminfo": print_fixture("rocminfo-no-module.txt"),
        }
    )
    amd, nvidia = doctor_report.describe_gpus()
    assert "modprobe amdgpu" in amd.remedy
    assert "H100" in nvidia.remedy
    assert "does not open it" in nvidia.remedy
    assert (amd.needed_for, nvidia.needed_for) == (
        "running kernels on rocm",
        "running kernels on cuda",
    )
