"""Read a bundle: its units, their cases, and the job that is wanted of them; golden outputs are
not read here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUNDLE_SCHEMA = "kernelset/bundle/1"
MANIFEST_FILE, JOB_FILE, OBJECTS_FOLDER, INPUTS_FOLDER = (
    "manifest.json",
    "job.json",
    "objects",
    "inputs",
)
_RUNTIMES = {"hip": "rocm", "cuda": "cuda"}
_WRITTEN = ("out", "inout")


@dataclass(frozen=True)
class BufferSpec:
    """One buffer of a case."""

    size: int
    is_written: bool
    content: str
    """Digest of what stands in it; empty where that is no input, and it is filled with a
    pattern.
    """
    links: tuple[tuple[int, int, int], ...] = ()
    """Pointers in it: (at, number of a buffer or -1 for null, offset)."""


@dataclass(frozen=True)
class ArgumentSpec:
    """One argument."""

    content: bytes
    links: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class Launch:
    """One case."""

    name: str
    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int = 0
    buffers: tuple[BufferSpec, ...] = ()
    arguments: tuple[ArgumentSpec, ...] = ()


@dataclass(frozen=True)
class Unit:
    """An object and its cases."""

    name: str
    """Digest of the unit."""
    object: str
    """Digest."""
    runtime: str
    """`rocm` or `cuda`."""
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class Timing:
    """How a case is timed."""

    launches: int = 50
    warm_ups: int = 5
    seconds: float = 20.0
    """After which no more launches are begun."""


@dataclass(frozen=True)
class Job:
    """What is wanted of a bundle."""

    seconds: float = 60.0
    """For each unit."""
    health: tuple[str, str] | None = None
    """Digest of an object, and its kernel that adds 1 to each of 64 whole numbers."""
    timing: Timing | None = None
    case: str = ""
    """Which case is timed; the last where it names none."""


def read_units(folder: Path) -> tuple[Unit, ...]:
    """Return the units of a bundle; raises `ValueError` for one of another schema."""
    told = json.loads((folder / MANIFEST_FILE).read_text("utf-8"))
    if told.get("schema") != BUNDLE_SCHEMA:
        raise ValueError(
            f"a bundle of {told.get('schema')}, not {BUNDLE_SCHEMA}: make it again with this version"
        )
    return tuple(_unit(each) for each in told["units"])


def read_job(folder: Path) -> Job:
    """Return what is wanted, the usual where the bundle does not say."""
    file = folder / JOB_FILE
    told = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return Job(
        seconds=float(told.get("seconds", 60.0)),
        health=(str(told["health"][0]), str(told["health"][1]))
        if told.get("health")
        else None,
        timing=Timing(**told["timing"]) if told.get("timing") is not None else None,
        case=str(told.get("case", "")),
    )


def _unit(told: dict[str, Any]) -> Unit:
    symbols = [each["symbol"] for each in told["entries"]]
    return Unit(
        name=told["unit"],
        object=told["object"],
        runtime=_RUNTIMES[told["dialect"]],
        launches=tuple(_launch(each, symbols) for each in told["suite"]["cases"]),
    )


def _launch(told: dict[str, Any], symbols: list[str]) -> Launch:
    entry = int(told.get("entry", 0))
    return Launch(
        name=told["name"],
        symbol=symbols[entry] if entry < len(symbols) else "",
        grid=_extent(told["grid"]),
        block=_extent(told["block"]),
        shared_bytes=int(told.get("shared_bytes", 0)),
        buffers=tuple(_memory(each) for each in told.get("buffers", [])),
        arguments=tuple(_value(each) for each in told.get("arguments", [])),
    )


def _memory(told: dict[str, Any]) -> BufferSpec:
    return BufferSpec(
        size=int(told["size"]),
        is_written=told["role"] in _WRITTEN,
        content=told.get("content", ""),
        links=_links(told.get("pointers", [])),
    )


def _value(told: dict[str, Any]) -> ArgumentSpec:
    return ArgumentSpec(
        content=bytes.fromhex(told["content"]), links=_links(told.get("pointers", []))
    )


def _extent(told: list[int]) -> tuple[int, int, int]:
    x, y, z = told
    return int(x), int(y), int(z)


def _links(told: list[dict[str, Any]]) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        (
            int(each["at"]),
            -1 if each.get("buffer") is None else int(each["buffer"]),
            int(each.get("offset", 0)),
        )
        for each in told
    )
