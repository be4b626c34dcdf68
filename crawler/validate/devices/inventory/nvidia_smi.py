"""Parse `nvidia-smi`: NVIDIA's GPUs and their MIG partitions."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final

from crawler.validate.devices.inventory.listing import (
    GpuListing,
    ListedGpu,
    recognise_problem,
)

QUERY_FIELDS: Final = (
    "index",
    "name",
    "uuid",
    "compute_cap",
    "memory.total",
    "driver_version",
    "mig.mode.current",
)
QUERY_ARGUMENTS: Final = (
    f"--query-gpu={','.join(QUERY_FIELDS)}",
    "--format=csv,noheader,nounits",
)
LIST_ARGUMENTS: Final = ("-L",)
_PROBLEMS: Final = {
    "couldn't communicate with the NVIDIA driver": "no-kernel-module",
    "NVIDIA driver is not loaded": "no-kernel-module",
    "Driver/library version mismatch": "driver-mismatch",
    "Insufficient Permissions": "no-permission",
    "No devices were found": "no-device",
}
_PART: Final = re.compile(
    r"^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[^)]+)\)", re.MULTILINE
)
_WHOLE: Final = re.compile(
    r"^GPU (\d+): (.+?) \(UUID: (GPU-[0-9a-f-]+)\)", re.MULTILINE
)


def parse(text: str) -> GpuListing:
    """Return the GPUs of a query by `ARGUMENTS`; a text without any tells of a problem."""
    rows = [
        row
        for row in csv.reader(text.splitlines(), skipinitialspace=True)
        if len(row) == len(QUERY_FIELDS)
    ]
    found = [
        dict(zip(QUERY_FIELDS, row, strict=True)) for row in rows if row[0].isdecimal()
    ]
    if not found:
        return recognise_problem(text, _PROBLEMS)
    return GpuListing(
        gpus=tuple(map(_listed, found)), driver=found[0]["driver_version"]
    )


def parse_mig_partitions(text: str) -> dict[str, tuple[ListedGpu, ...]]:
    """Return the parts of each GPU that is split, by its identity, from what `-L` prints."""
    wholes = list(_WHOLE.finditer(text))
    ends = [*(each.start() for each in wholes[1:]), len(text)]
    return {
        whole[3]: tuple(_parts(int(whole[1]), whole[2], text[whole.end() : end]))
        for whole, end in zip(wholes, ends, strict=True)
    }


def _parts(index: int, name: str, text: str) -> Iterator[ListedGpu]:
    for profile, uuid in _PART.findall(text):
        yield ListedGpu(index=index, name=name, uuid=uuid, partition=f"MIG {profile}")


def _listed(row: dict[str, str]) -> ListedGpu:
    capability = re.fullmatch(r"(\d+)\.(\d+)", row["compute_cap"])
    memory = re.match(r"\d+", row["memory.total"])
    return ListedGpu(
        index=int(row["index"]),
        name=row["name"],
        arch=f"sm_{capability[1]}{capability[2]}" if capability else "",
        uuid=row["uuid"],
        memory_bytes=int(memory[0]) << 20 if memory else 0,
        partition="MIG" if row["mig.mode.current"] == "Enabled" else "",
    )
