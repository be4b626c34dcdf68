"""Find what sources are read behind that a program joins when it runs.

A program that compiles its kernels at run time may put a text in front of each, which says
what `KERNEL` means for the device at hand; no `#include` tells of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from crawler.checkout.source_scan import SourceScan, get_suffix, mentions_any

_MAX_ALIASES: Final = 200
_CUDA_SUFFIXES: Final = ("cu", "cuh")
_ATTRIBUTES: Final = (
    r"(?:__launch_bounds__[ \t]*\([^()\n]{0,80}\)\s*|static\s+|inline\s+)"
)


class ReadSources(Protocol):
    """The files of a tree and which of them each file includes."""

    def read_bytes(self, path: str) -> bytes:
        """Return the content of a file."""
        ...

    def list_reached_files(self, path: str) -> tuple[str, ...]:
        """Return the file and what it includes."""
        ...


def find_run_time_preludes(
    scans: Mapping[str, SourceScan], sources: ReadSources
) -> dict[str, str]:
    """Map each file whose kernels begin with a macro that it does not see to one that defines it.

    Only `KERNEL void name(` counts as the beginning of a kernel: a short word alone may mean
    something else in another file. Where several files define the macro as `__global__`, as one
    for CUDA and one for HIP, CUDA's is taken, and of these the nearest.
    """
    definers = _list_definers(scans)
    if not definers:
        return {}

    head = _compile_kernel_head(definers)
    preludes: dict[str, str] = {}
    for path in scans:
        match = head.search(sources.read_bytes(path).decode("utf-8", "replace"))
        if match is None or not mentions_any(sources.read_bytes(path), head):
            continue

        alias = match[1]
        if not _sees_definition(path, alias, sources):
            preludes[path] = min(
                definers[alias], key=lambda file: _rank_definer(file, path)
            )

    return preludes


def _list_definers(scans: Mapping[str, SourceScan]) -> dict[str, list[str]]:
    definers: dict[str, list[str]] = {}
    for path, scan in sorted(scans.items()):
        for alias in scan.global_aliases:
            if alias in definers or len(definers) < _MAX_ALIASES:
                definers.setdefault(alias, []).append(path)
    return definers


def _compile_kernel_head(aliases: Iterable[str]) -> re.Pattern[str]:
    # for `mentions_any`, which sees to comments and strings
    words = "|".join(map(re.escape, sorted(aliases)))
    return re.compile(
        rf"^[ \t]*({words})\s+{_ATTRIBUTES}*void\s+{_ATTRIBUTES}*[A-Za-z_]\w*\s*\(",
        re.MULTILINE,
    )


def _sees_definition(path: str, alias: str, sources: ReadSources) -> bool:
    """Tell whether a file, or what it includes, defines the macro, whatever it stands for there."""
    # of the bytes of many files: a definition in a comment leaves the kernel without a prelude
    definition = re.compile(rf"#[ \t]*define[ \t]+{re.escape(alias)}\b".encode())
    return any(
        definition.search(sources.read_bytes(file))
        for file in sources.list_reached_files(path)
    )


def _rank_definer(file: str, path: str) -> tuple[bool, int, str]:
    common = posixpath.commonpath([posixpath.dirname(file), posixpath.dirname(path)])
    return get_suffix(file) not in _CUDA_SUFFIXES, -len(common), file
