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
# E.g. `GPU[0]		: Card series: 		AMD Instinct MI210`.
_TEXT_LINE: Final = re.compile(r"^GPU\[(\d{1,9})\]\s*+:([^:]++):(.*)$", re.MULTILINE)
_PROBLEMS: Final = {
    "ROCk module is NOT loaded": "no-kernel-module",
    "Driver not initialized": "no-kernel-module",
    "amdgpu not found in modules": "no-kernel-module",
    "Permission denied": "no-permission",
    "No AMD GPUs": "no-device",
    "No JSON data to report": "no-device",
}
_NAME_FIELDS: Final = ("card series", "device name", "card model")
"""Fields that may hold the name, the most telling first."""
_UNKNOWN_VALUES: Final = ("", "n/a", "none", "unknown")

Card = dict[str, str]


def parse(text: str) -> GpuListing:
    """Parse the GPUs, ordered by number; without any the text reports a problem."""
    cards = _parse_json(text) or _parse_text(text)
    if not cards:
        return recognise_problem(text, _PROBLEMS)

    gpus = [_build_gpu(index, cards[index]) for index in sorted(cards)]
    return GpuListing(gpus=tuple(gpus))


def _parse_json(text: str) -> dict[int, Card]:
    """Return the cards of the first JSON object: warnings may stand before it."""
    begin = text.find("{")
    if begin < 0:
        return {}

    try:
        document: Any = json.JSONDecoder().raw_decode(text, begin)[0]
    # Brackets that never close exhaust the parser's stack.
    except (ValueError, RecursionError):
        return {}

    cards: dict[int, Card] = {}
    for name, fields in document.items():
        card_name = re.fullmatch(r"card(\d{1,9})", str(name))
        if card_name is None or not isinstance(fields, dict):
            continue

        # Names of fields differ in case between versions, and some end with a colon.
        cards[int(card_name[1])] = {
            str(field).lower().rstrip(":"): str(value)
            for field, value in fields.items()
        }

    return cards


def _parse_text(text: str) -> dict[int, Card]:
    cards: dict[int, Card] = {}
    for index, field, value in _TEXT_LINE.findall(text):
        card = cards.setdefault(int(index), {})
        card.setdefault(field.strip().lower(), value.strip())

    return cards


def _build_gpu(index: int, card: Mapping[str, str]) -> ListedGpu:
    # Fields that a driver does not know are printed as `N/A`.
    known_fields = {
        field: value
        for field, value in card.items()
        if value.lower() not in _UNKNOWN_VALUES
    }

    arch = re.search(r"gfx[0-9a-f]+", known_fields.get("gfx version", ""))
    compute_mode = known_fields.get("compute partition", "")
    memory_mode = known_fields.get("memory partition", "")
    modes = [mode for mode in (compute_mode, memory_mode) if mode]

    return ListedGpu(
        index=index,
        name=_find_name(known_fields),
        arch=_normalise_arch(arch[0]) if arch else "",
        uuid=known_fields.get("unique id", ""),
        partition="/".join(modes),
    )


def _find_name(fields: Mapping[str, str]) -> str:
    for field in _NAME_FIELDS:
        name = fields.get(field)
        # A number of PCI instead of a name.
        if name is not None and not name.startswith("0x"):
            return name

    return ""


def _normalise_arch(arch: str) -> str:
    """Return an arch as compilers call it.

    Older versions print the stepping in decimal: `gfx9010` is `gfx90a`.
    """
    digits = re.fullmatch(r"gfx(\d+)(\d)(1[0-5])", arch)
    if digits is None or len(arch) != len("gfx9010") or digits[1] != "9":
        return arch

    return f"gfx{digits[1]}{digits[2]}{int(digits[3]):x}"
