"""What vendors' tools print on machines of many kinds; the texts are ours, in the tools'
formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.devices import doctor_report
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.inventory import hipconfig, nvidia_smi, rocm_smi, rocminfo
from crawler.validate.devices.inventory.listing import REMEDIES, GpuListing
from crawler.validate.devices.inventory.vendor_tools import merge_listings

FIXTURES = Path(__file__).resolve().parents[4] / "fixtures/devices"


def read_fixture(name: str) -> str:
    return (FIXTURES / name).read_text()


@pytest.mark.parametrize(
    ("machine", "gpus"),
    [
        ("mi210", [("AMD Instinct MI210", "gfx90a", "sramecc+:xnack-", 104)]),
        ("mi250x", [("AMD Instinct MI250X", "gfx90a", "sramecc+:xnack-", 110)] * 4),
        ("mi300x", [("AMD Instinct MI300X", "gfx942", "sramecc+:xnack-", 304)] * 2),
        ("mi300x-cpx", [("AMD Instinct MI300X", "gfx942", "sramecc+:xnack-", 38)] * 8),
        (
            "rx7900",
            [
                ("Radeon RX 7900 XTX", "gfx1100", "", 96),
                ("AMD Radeon Graphics", "gfx1036", "", 2),
            ],
        ),
    ],
)
def test_agents_that_are_gpus(
    machine: str, gpus: list[tuple[str, str, str, int]]
) -> None:
    listing = rocminfo.parse(read_fixture(f"rocminfo-{machine}.txt"))
    assert [
        (
            listed_gpu.name,
            listed_gpu.arch,
            listed_gpu.features,
            listed_gpu.compute_units,
        )
        for listed_gpu in listing.gpus
    ] == gpus
    assert [listed_gpu.index for listed_gpu in listing.gpus] == list(range(len(gpus)))
    assert listing.problem == ""


def test_an_agents_memory_is_its_own_not_its_caches() -> None:
    (gpu,) = rocminfo.parse(read_fixture("rocminfo-mi210.txt")).gpus
    assert gpu.memory_bytes == 67092480 << 10
    assert gpu.uuid == "GPU-880b91d040da15d8"
    assert rocminfo.parse(read_fixture("rocminfo-rx7900.txt")).gpus[1].uuid == ""


@pytest.mark.parametrize(
    ("machine", "problem"),
    [
        ("no-gpu", "no-device"),
        ("no-module", "no-kernel-module"),
        ("no-permission", "no-permission"),
        ("broken", "tool-failed"),
    ],
)
def test_agents_without_a_gpu_have_a_reason(machine: str, problem: str) -> None:
    listing = rocminfo.parse(read_fixture(f"rocminfo-{machine}.txt"))
    assert (listing.gpus, listing.problem) == ((), problem)
    assert listing.message
    assert problem in REMEDIES


def test_cards_have_partitions_and_modern_archs() -> None:
    split = rocm_smi.parse(read_fixture("rocm-smi-mi300x-cpx.json")).gpus
    assert [
        (listed_gpu.index, listed_gpu.arch, listed_gpu.partition)
        for listed_gpu in split
    ] == [(index, "gfx942", "CPX/NPS4") for index in range(8)]
    whole = rocm_smi.parse(read_fixture("rocm-smi-mi250x.json")).gpus
    assert {(listed_gpu.arch, listed_gpu.partition) for listed_gpu in whole} == {
        ("gfx90a", "")
    }
    assert len(whole) == 4


def test_cards_in_plain_text() -> None:
    cards = rocm_smi.parse(read_fixture("rocm-smi-rx7900.txt")).gpus
    assert [listed_gpu.name for listed_gpu in cards] == [
        "Navi 31 [Radeon RX 7900 XT/7900 XTX]",
        "Raphael",
    ]


@pytest.mark.parametrize(
    ("name", "problem"), [("no-module", "no-kernel-module"), ("none", "no-device")]
)
def test_no_cards_have_a_reason(name: str, problem: str) -> None:
    assert rocm_smi.parse(read_fixture(f"rocm-smi-{name}.txt")).problem == problem


def test_agents_take_the_partitions_of_as_many_cards() -> None:
    agents, cards = (
        rocminfo.parse(read_fixture("rocminfo-mi300x-cpx.txt")),
        rocm_smi.parse(read_fixture("rocm-smi-mi300x-cpx.json")),
    )
    assert {
        listed_gpu.partition for listed_gpu in merge_listings(agents, cards).gpus
    } == {"CPX/NPS4"}
    whole = merge_listings(
        rocminfo.parse(read_fixture("rocminfo-mi300x.txt")),
        rocm_smi.parse(read_fixture("rocm-smi-mi300x.json")),
    )
    assert [listed_gpu.partition for listed_gpu in whole.gpus] == ["SPX/NPS1"] * 2
    assert (
        merge_listings(agents, rocm_smi.parse(read_fixture("rocm-smi-mi250x.json")))
        == agents
    )
    broken = rocminfo.parse(read_fixture("rocminfo-no-permission.txt"))
    assert merge_listings(broken, cards) == broken


@pytest.mark.parametrize(
    ("name", "gpus"),
    [
        ("h100", [("NVIDIA H100 80GB HBM3", "sm_90", 81559, "")]),
        ("geforce", [("NVIDIA GeForce RTX 4090", "sm_89", 24564, "")]),
        (
            "several",
            [
                ("NVIDIA A100-SXM4-40GB", "sm_80", 40960, part)
                for part in ("", "MIG", "")
            ],
        ),
    ],
)
def test_gpus_of_a_query(name: str, gpus: list[tuple[str, str, int, str]]) -> None:
    listing = nvidia_smi.parse(read_fixture(f"nvidia-smi-{name}.csv"))
    assert [
        (
            listed_gpu.name,
            listed_gpu.arch,
            listed_gpu.memory_bytes >> 20,
            listed_gpu.partition,
        )
        for listed_gpu in listing.gpus
    ] == gpus
    assert listing.driver


def test_parts_of_a_gpu_belong_to_it() -> None:
    partitions = nvidia_smi.parse_mig_partitions(read_fixture("nvidia-smi-parts.txt"))
    second = nvidia_smi.parse(read_fixture("nvidia-smi-several.csv")).gpus[1]
    assert [listed_gpu.partition for listed_gpu in partitions[second.uuid]] == [
        "MIG 3g.20gb",
        "MIG 1g.5gb",
    ]
    assert all(
        listed_gpu.uuid.startswith("MIG-") for listed_gpu in partitions[second.uuid]
    )
    assert [len(gpu_partitions) for gpu_partitions in partitions.values()] == [0, 2, 0]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no-module", "no-kernel-module"),
        ("mismatch", "driver-mismatch"),
        ("none", "no-device"),
    ],
)
def test_no_gpus_of_a_query_have_a_reason(name: str, problem: str) -> None:
    assert nvidia_smi.parse(read_fixture(f"nvidia-smi-{name}.txt")).problem == problem


@pytest.mark.parametrize("parse", [rocminfo.parse, rocm_smi.parse, nvidia_smi.parse])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{}",
        "\0\1\2",
        '{"card0": 3}',
        "GPU[0",
        "*******\nAgent 1\n*******\n",
        ",,,,,,",
    ],
)
def test_what_no_tool_prints_is_a_problem(parse: object, text: str) -> None:
    assert callable(parse)
    listing = parse(text)
    assert listing.gpus == ()
    assert listing.problem


def test_a_list_without_gpus_has_no_partitions() -> None:
    for text in ("", "No devices were found\n", read_fixture("nvidia-smi-none.txt")):
        assert nvidia_smi.parse_mig_partitions(text) == {}


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (nvidia_smi.parse, "9" * 5000 + ", GPU, uuid, 9.0, 1, 2, Enabled"),
        (nvidia_smi.parse, "a" * 140_000),
        (rocm_smi.parse, '{"card0":' * 100_000),
        (rocm_smi.parse, '{"card' + "9" * 5000 + '": {}}'),
        (rocm_smi.parse, "GPU[" + "9" * 5000 + "]\t: Card series: MI210"),
    ],
)
def test_output_without_end_is_a_problem_not_an_error(
    parse: Callable[[str], GpuListing], text: str
) -> None:
    assert parse(text).problem == "tool-failed"


def test_numbers_without_end_are_unknown_ones() -> None:
    digits = "9" * 5000
    row = f"0, GPU, uuid, {digits}.0, {digits}, 2, Enabled"
    (queried,) = nvidia_smi.parse(row).gpus
    assert queried.memory_bytes == 0

    agent = read_fixture("rocminfo-mi210.txt")
    agent = agent.replace("67092480(", f"{digits}(")
    agent = re.sub(r"(Compute Unit: +)104", rf"\g<1>{digits}", agent)
    (listed,) = rocminfo.parse(agent).gpus
    assert (listed.memory_bytes, listed.compute_units) == (0, 0)


@given(text=st.text(alphabet='GPU MIG012()[]:,-{}"\n\tcardUUID*Agent', max_size=200))
def test_no_text_is_an_error(text: str) -> None:
    for parse in (nvidia_smi.parse, rocm_smi.parse, rocminfo.parse):
        listing = parse(text)
        assert listing.gpus or listing.problem
    assert nvidia_smi.parse_mig_partitions(text) is not None
    assert hipconfig.parse(text) is not None


def gpu(index: int, runtime: str = "rocm") -> Gpu:
    return Gpu(
        runtime=runtime,
        index=index,
        name="AMD Instinct MI300X",
        arch="gfx942",
        library=Path("/lib/none.so"),
    )


def test_what_is_usable_is_told_with_its_partitions() -> None:
    partitions = [replace(gpu(index), partition="CPX/NPS4") for index in range(2)]
    assert (
        doctor_report.summarise_gpus(partitions)
        == "2 rocm:gfx942 AMD Instinct MI300X (CPX/NPS4)"
    )
    assert partitions[0].details == "AMD Instinct MI300X, CPX/NPS4"
    assert doctor_report.summarise_gpus([gpu(0)]) == "1 rocm:gfx942 AMD Instinct MI300X"


@pytest.mark.parametrize(
    ("listing", "advice"),
    [
        (None, ""),
        (rocminfo.parse(read_fixture("rocminfo-no-gpu.txt")), ""),
        (
            rocminfo.parse(read_fixture("rocminfo-no-permission.txt")),
            "groups `render` and `video`",
        ),
        (nvidia_smi.parse(read_fixture("nvidia-smi-mismatch.txt")), "reboot"),
        (rocminfo.parse(read_fixture("rocminfo-mi210.txt")), "MI210 is listed"),
    ],
)
def test_what_is_not_usable_has_a_remedy(
    listing: GpuListing | None, advice: str
) -> None:
    remedy = doctor_report.suggest_remedy(listing)
    assert advice in remedy
    assert bool(remedy) == bool(advice)


def test_hip_tells_its_version_and_its_platform() -> None:
    installation = hipconfig.parse(read_fixture("hipconfig.txt"))
    assert (installation.version, installation.platform, installation.rocm_path) == (
        "6.2.41134-65d174c3e",
        "amd",
        "/opt/rocm-6.2.2",
    )
    assert hipconfig.parse("5.2.21153-0\n").version == "5.2.21153-0"
    assert hipconfig.parse("nonsense") == hipconfig.HipInstallation()
