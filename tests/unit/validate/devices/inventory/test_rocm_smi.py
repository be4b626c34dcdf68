"""What `rocm-smi` prints, in the forms of its versions."""

from __future__ import annotations

import json

import pytest

from crawler.validate.devices.inventory.rocm_smi import parse


def print_cards(**cards: dict[str, str]) -> str:
    return json.dumps(cards)


def test_cards_come_in_the_order_of_their_numbers() -> None:
    text = print_cards(
        card10={"Card Series": "MI210"},
        card2={"Card Series": "MI250X"},
        system={"Driver version": "6.2"},
    )
    assert [(gpu.index, gpu.name) for gpu in parse(text).gpus] == [
        (2, "MI250X"),
        (10, "MI210"),
    ]


def test_all_that_is_known_of_a_card_is_taken() -> None:
    text = print_cards(
        card0={
            "Device Name": "AMD Instinct MI300X",
            "GFX Version": "gfx942",
            "Unique ID": "0x1234",
            "Compute Partition": "CPX",
            "Memory Partition": "NPS4",
        }
    )
    (gpu,) = parse(text).gpus
    assert (gpu.name, gpu.arch, gpu.uuid, gpu.partition) == (
        "AMD Instinct MI300X",
        "gfx942",
        "0x1234",
        "CPX/NPS4",
    )


@pytest.mark.parametrize("unknown", ["N/A", "", "None", "unknown"])
def test_what_a_driver_does_not_know_is_empty(unknown: str) -> None:
    text = print_cards(
        card0={
            "Card Series": unknown,
            "Card Model": "MI100",
            "Unique ID": unknown,
            "Compute Partition": unknown,
            "Memory Partition": "NPS1",
        }
    )
    (gpu,) = parse(text).gpus
    assert (gpu.name, gpu.uuid, gpu.partition) == ("MI100", "", "NPS1")


def test_a_number_of_pci_is_no_name() -> None:
    text = print_cards(card0={"Card Series": "0x74a1", "Card Model": "MI300X"})
    assert parse(text).gpus[0].name == "MI300X"
    assert parse(print_cards(card0={"Card Model": "0x74a1"})).gpus[0].name == ""


def test_the_most_telling_of_several_names_is_taken() -> None:
    text = print_cards(
        card0={"Card Model": "C", "Device Name": "B", "Card series": "A"}
    )
    assert parse(text).gpus[0].name == "A"


@pytest.mark.parametrize(
    ("printed", "arch"),
    [
        ("gfx90a", "gfx90a"),
        ("gfx9010", "gfx90a"),
        ("gfx9012", "gfx90c"),
        ("gfx942", "gfx942"),
        ("gfx1100", "gfx1100"),
        ("gfx1010", "gfx1010"),
        ("no arch", ""),
    ],
)
def test_an_arch_is_called_as_compilers_call_it(printed: str, arch: str) -> None:
    assert parse(print_cards(card0={"GFX Version": printed})).gpus[0].arch == arch


def test_warnings_before_the_object_and_colons_in_its_fields_do_no_harm() -> None:
    text = "WARNING: low power state\n" + print_cards(card0={"Card series:": "MI50"})
    assert parse(text).gpus[0].name == "MI50"


def test_the_text_of_older_versions_is_read_too() -> None:
    text = (
        "GPU[1]\t\t: Card series: \t\tAMD Instinct MI210\n"
        "GPU[0]\t\t: Card series: \t\tAMD Instinct MI100\n"
        "GPU[0]\t\t: Card series: \t\ta second time\n"
        "GPU[1]\t\t: Unique ID: 0xabc\n"
    )
    assert [(gpu.index, gpu.name, gpu.uuid) for gpu in parse(text).gpus] == [
        (0, "AMD Instinct MI100", ""),
        (1, "AMD Instinct MI210", "0xabc"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ERROR: ROCk module is NOT loaded", "no-kernel-module"),
        ("cat: /dev/kfd: Permission denied", "no-permission"),
        ("WARNING: No JSON data to report", "no-device"),
        ("{" * 5000, "tool-failed"),
        ('{"card0": "no object"}', "tool-failed"),
        ('{"cardboard": {}}', "tool-failed"),
    ],
)
def test_without_cards_it_is_said_what_is_wrong(text: str, problem: str) -> None:
    listing = parse(text)
    assert listing.gpus == ()
    assert listing.problem == problem
    assert listing.message
