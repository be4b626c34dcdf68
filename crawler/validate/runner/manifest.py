"""Read a bundle: its units, their cases, and the job; golden outputs are not read here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUNDLE_SCHEMA = "kernelset/bundle/1"
MANIFEST_FILE = "manifest.json"
JOB_FILE = "job.json"
OBJECTS_FOLDER = "objects"
INPUTS_FOLDER = "inputs"
_RUNTIME_OF_DIALECT = {"hip": "rocm", "cuda": "cuda"}
_WRITTEN_ROLES = ("out", "inout")
_NULL_BUFFER = -1


@dataclass(frozen=True)
class BufferSpec:
    """One buffer of a case."""

    size: int
    is_written: bool
    content: str
    """Digest of its content; empty where that is no input, and it is filled with one byte."""
    links: tuple[tuple[int, int, int], ...] = ()
    """Pointers in it: (position, number of a buffer or -1 for null, offset)."""


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
    """Digest of the object."""
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
    """What is to be done with a bundle."""

    seconds: float = 60.0
    """For each unit."""
    health: tuple[str, str] | None = None
    """Digest of an object, and its kernel that adds 1 to each of 64 whole numbers."""
    timing: Timing | None = None
    case: str = ""
    """Which case is timed; the largest where it names none."""


def read_units(folder: Path) -> tuple[Unit, ...]:
    """Return the units of a bundle; raises `ValueError` for one of another schema."""
    manifest = json.loads((folder / MANIFEST_FILE).read_text("utf-8"))
    schema = manifest.get("schema")
    if schema != BUNDLE_SCHEMA:
        raise ValueError(
            f"a bundle of {schema}, not {BUNDLE_SCHEMA}: make it again with this version"
        )

    return tuple(_parse_unit(unit) for unit in manifest["units"])


def read_job(folder: Path) -> Job:
    """Return the job of a bundle, with defaults for what it does not say."""
    file = folder / JOB_FILE
    document: dict[str, Any] = {}
    if file.is_file():
        document = json.loads(file.read_text("utf-8"))

    # Without a known kernel the device's memory is checked alone.
    health = None
    if document.get("health"):
        digest, symbol = document["health"][:2]
        health = (str(digest), str(symbol))

    timing = None
    if document.get("timing") is not None:
        timing = Timing(**document["timing"])

    return Job(
        seconds=float(document.get("seconds", 60.0)),
        health=health,
        timing=timing,
        case=str(document.get("case", "")),
    )


def _parse_unit(document: dict[str, Any]) -> Unit:
    symbols = [entry["symbol"] for entry in document["entries"]]
    cases = document["suite"]["cases"]
    launches = [_parse_launch(case, symbols) for case in cases]

    return Unit(
        name=document["unit"],
        object=document["object"],
        runtime=_RUNTIME_OF_DIALECT[document["dialect"]],
        launches=tuple(launches),
    )


def _parse_launch(document: dict[str, Any], symbols: list[str]) -> Launch:
    entry = int(document.get("entry", 0))
    symbol = ""
    if entry < len(symbols):
        symbol = symbols[entry]

    buffers = [_parse_buffer(buffer) for buffer in document.get("buffers", [])]
    arguments = [
        _parse_argument(argument) for argument in document.get("arguments", [])
    ]

    return Launch(
        name=document["name"],
        symbol=symbol,
        grid=_parse_extents(document["grid"]),
        block=_parse_extents(document["block"]),
        shared_bytes=int(document.get("shared_bytes", 0)),
        buffers=tuple(buffers),
        arguments=tuple(arguments),
    )


def _parse_buffer(document: dict[str, Any]) -> BufferSpec:
    return BufferSpec(
        size=int(document["size"]),
        is_written=document["role"] in _WRITTEN_ROLES,
        content=document.get("content", ""),
        links=_parse_links(document.get("pointers", [])),
    )


def _parse_argument(document: dict[str, Any]) -> ArgumentSpec:
    return ArgumentSpec(
        content=bytes.fromhex(document["content"]),
        links=_parse_links(document.get("pointers", [])),
    )


def _parse_extents(extents: list[int]) -> tuple[int, int, int]:
    x, y, z = extents
    return int(x), int(y), int(z)


def _parse_links(pointers: list[dict[str, Any]]) -> tuple[tuple[int, int, int], ...]:
    links: list[tuple[int, int, int]] = []
    for pointer in pointers:
        buffer = _NULL_BUFFER
        if pointer.get("buffer") is not None:
            buffer = int(pointer["buffer"])

        position = int(pointer["at"])
        offset = int(pointer.get("offset", 0))
        links.append((position, buffer, offset))

    return tuple(links)
