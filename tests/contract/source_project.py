"""A real project that a source is asked for, and what the contract of sources does to it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crawler.sources.options import GITHUB_API_URL

FILES = {
    "CMakeLists.txt": b"project(waves)\n",
    "src/wave.cu": b"__global__ void wave(float* x) { x[0] = 1; }\n",
    "src/wave.cuh": b"#pragma once\n",
    "docs/caf\xc3\xa9 notes.md".encode("latin-1").decode(): b"two words\n",
}
CHANGED_FILES = FILES | {
    "src/wave.cu": b"__global__ void other(float* x) { x[0] = 2; }\n"
}


@dataclass(frozen=True, kw_only=True)
class SourceProject:
    """A locator that names a project with `FILES`, and how a test changes that project."""

    locator: str
    missing_locator: str
    """Written like `locator`, but names nothing."""
    name: str
    change: Callable[[], object]
    """Give the project `CHANGED_FILES`."""
    remove: Callable[[], object]
    github: str = GITHUB_API_URL
    keeps_history: bool = False
    """Whether a commit can still be fetched after the project has changed."""
    pins_fetched_files: bool = False
    """Whether the pin is over the files within the limits, and not over all."""


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def make_sdist(files: dict[str, bytes], top: str = "waves-1.0/") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()
