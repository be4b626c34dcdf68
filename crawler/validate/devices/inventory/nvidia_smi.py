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
# a column of the table that nvidia-smi prints
_INDEX: Final = re.compile(r"\d{1,9}")
# E.g. `GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-…)`, and below it
# `  MIG 1g.5gb     Device  0: (UUID: MIG-…)`.
_GPU_LINE: Final = re.compile(
    r"^GPU (\d{1,9}): (.+?) \(UUID: (GPU-[0-9a-f-]+)\)", re.MULTILINE
)
_MIG_LINE: Final = re.compile(
    r"^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[^)]+)\)", re.MULTILINE
)


def parse(text: str) -> GpuListing:
    """Parse the output of a query with `QUERY_ARGUMENTS`; without GPUs it reports a problem."""
    try:
        rows = list(_iter_rows(text))
    # E.g. a field without end.
    except csv.Error:
        rows = []

    if not rows:
        return recognise_problem(text, _PROBLEMS)

    return GpuListing(
        gpus=tuple(_build_gpu(row) for row in rows), driver=rows[0]["driver_version"]
    )


def parse_mig_partitions(text: str) -> dict[str, tuple[ListedGpu, ...]]:
    """Parse the output of `-L`: the MIG partitions of each GPU by its UUID."""
    gpu_lines = list(_GPU_LINE.finditer(text))
    if not gpu_lines:
        return {}

    # Partitions stand below their GPU, up to the next GPU.
    ends = [gpu_line.start() for gpu_line in gpu_lines[1:]]
    ends.append(len(text))

    partitions: dict[str, tuple[ListedGpu, ...]] = {}
    for gpu_line, end in zip(gpu_lines, ends, strict=True):
        index, name, uuid = gpu_line.groups()
        mig_lines = _MIG_LINE.findall(text[gpu_line.end() : end])
        partitions[uuid] = tuple(
            ListedGpu(
                index=int(index), name=name, uuid=mig_uuid, partition=f"MIG {profile}"
            )
            for profile, mig_uuid in mig_lines
        )

    return partitions


def _iter_rows(text: str) -> Iterator[dict[str, str]]:
    for values in csv.reader(text.splitlines(), skipinitialspace=True):
        if len(values) == len(QUERY_FIELDS) and _INDEX.fullmatch(values[0]):
            yield dict(zip(QUERY_FIELDS, values, strict=True))


def _build_gpu(row: dict[str, str]) -> ListedGpu:
    capability = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", row["compute_cap"])
    memory_mib = re.match(r"\d{1,9}(?!\d)", row["memory.total"])

    return ListedGpu(
        index=int(row["index"]),
        name=row["name"],
        arch=f"sm_{capability[1]}{capability[2]}" if capability else "",
        uuid=row["uuid"],
        memory_bytes=int(memory_mib[0]) << 20 if memory_mib else 0,
        partition="MIG" if row["mig.mode.current"] == "Enabled" else "",
    )
