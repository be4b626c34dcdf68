"""Port a whole source tree into a copy."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crawler.checkout.source_scan import SOURCE_SUFFIXES
from crawler.checkout.source_tree import SourceTree
from crawler.errors import PortFailed
from crawler.model import PortReport
from crawler.port.port import MAX_TEXT_LENGTH, port_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PortedFile:
    """A source of a tree, and what became of it."""

    path: str
    """Relative to both trees; a port renames no file, so that build files and includes still
    find it.
    """
    before: str
    after: str
    report: PortReport = field(default_factory=PortReport)
    problem: str = ""
    """Why it was copied as it is, where it could not be ported."""


def port_tree(tree: SourceTree, destination: Path) -> Iterator[PortedFile]:
    """Copy the files of `tree` below the folder `destination`, ported where that changes them;
    yield each source.
    """
    for path in tree.files:
        source = tree.root / path
        target = destination / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)

        _, _, suffix = path.rpartition(".")
        if suffix.lower() not in SOURCE_SUFFIXES:
            continue

        ported = _port_file(path, source)
        if ported.after != ported.before:
            content = ported.after.encode("utf-8", "surrogateescape")
            target.write_bytes(content)

        yield ported


def _port_file(path: str, source: Path) -> PortedFile:
    if source.stat().st_size > MAX_TEXT_LENGTH:
        problem = f"over {MAX_TEXT_LENGTH >> 20} MiB: copied as it is"
        return PortedFile(path=path, before="", after="", problem=problem)

    content = source.read_bytes()
    before = content.decode("utf-8", "surrogateescape")
    try:
        after, report = port_text(before)
    except PortFailed as error:
        return PortedFile(path=path, before=before, after=before, problem=str(error))

    return PortedFile(path=path, before=before, after=after, report=report)
