"""Parse `rocm-smi`: names and partitions of AMD's GPUs, from JSON or from text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from crawler.validate.devices.inventory.listing import (
    GpuListing,
    ListedGpu,
    recognise_problem,
)

QUERY_ARGUMENTS: Final = (
    "--showproductname",
    "--showcomputepartition",
    "--showmemorypartition",
    "--showuniqueid",
    "--json",
)
_LINE: Final = re.compile(r"^GPU\[(\d+)\]\s*+:([^:]++):(.*)$", re.MULTILINE)
_PROBLEMS: Final = {
    "ROCk module is NOT loaded": "no-kernel-module",
    "Driver not initialized": "no-kernel-module",
    "amdgpu not found in modules": "no-kernel-module",
    "Permission denied": "no-permission",
    "No AMD GPUs": "no-device",
    "No JSON data to report": "no-device",
}
_NAMES: Final = ("card series", "device name", "card model")
_UNKNOWN: Final = ("", "n/a", "none", "unknown")


def parse(text: str) -> GpuListing:
    """Return the GPUs by number; a text without any tells of a problem."""
    cards = _of_json(text) or _of_text(text)
    if not cards:
        return recognise_problem(text, _PROBLEMS)
    return GpuListing(
        gpus=tuple(_listed(index, cards[index]) for index in sorted(cards))
    )


def _of_json(text: str) -> dict[int, dict[str, str]]:
    """Return the cards of the first JSON object: warnings may stand before it."""
    begin = text.find("{")
    try:
        told: Any = json.JSONDecoder().raw_decode(text, begin)[0] if begin >= 0 else {}
    except ValueError:
        return {}
    cards = {
        re.fullmatch(r"card(\d+)", str(name)): fields for name, fields in told.items()
    }
    return {
        int(name[1]): {
            str(field).lower().rstrip(":"): str(value)
            for field, value in fields.items()
        }
        for name, fields in cards.items()
        if name and isinstance(fields, dict)
    }


def _of_text(text: str) -> dict[int, dict[str, str]]:
    cards: dict[int, dict[str, str]] = {}
    for number, field, value in _LINE.findall(text):
        cards.setdefault(int(number), {}).setdefault(
            field.strip().lower(), value.strip()
        )
    return cards


def _listed(index: int, card: Mapping[str, str]) -> ListedGpu:
    known = {
        field: value for field, value in card.items() if value.lower() not in _UNKNOWN
    }
    arch = re.search(r"gfx[0-9a-f]+", known.get("gfx version", ""))
    modes = (known.get("compute partition", ""), known.get("memory partition", ""))
    names = (
        known[field]
        for field in _NAMES
        if field in known and not known[field].startswith("0x")
    )
    return ListedGpu(
        index=index,
        name=next(names, ""),
        arch=_modern(arch[0]) if arch else "",
        uuid=known.get("unique id", ""),
        partition="/".join(filter(None, modes)),
    )


def _modern(arch: str) -> str:
    """Return an arch as compilers call it: older versions print the stepping of `gfx90a` as
    `gfx9010`.
    """
    found = re.fullmatch(r"gfx(\d+)(\d)(1[0-5])", arch) if len(arch) == 7 else None
    return (
        f"gfx{found[1]}{found[2]}{int(found[3]):x}"
        if found and found[1] == "9"
        else arch
    )
