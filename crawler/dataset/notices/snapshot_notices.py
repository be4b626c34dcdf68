"""Find the licence texts and copyright notices in the stored sources of a repository."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

import zstandard

# `COPYING.LESSER`, `LICENSE-MIT`, `AUTHORS`
_NOTICE_FILE: Final = re.compile(
    r"(licen[cs]es?|copying|unlicense|notice|copyright|authors)([-._].*)?",
    re.IGNORECASE,
)
_PROGRAM_SUFFIXES: Final = frozenset(
    (
        ".bat",
        ".c",
        ".cc",
        ".cmake",
        ".cpp",
        ".cu",
        ".cuh",
        ".go",
        ".h",
        ".hpp",
        ".ini",
        ".java",
        ".js",
        ".json",
        ".pl",
        ".py",
        ".pyi",
        ".rs",
        ".sh",
        ".toml",
        ".ts",
        ".xml",
        ".yaml",
        ".yml",
    )
)
"""Of what is called `license_check.py` and is none."""
# Raw text, since a header is cut off before anything of the file is parsed.
_LEADING_COMMENTS: Final = re.compile(
    r"(?:\s*(?://[^\n]*|/\*.*?\*/|#pragma once))+", re.DOTALL
)
_SAYS_WHOSE_IT_IS: Final = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)
_MAX_HEADER_BYTES: Final = 16 << 10
_MAX_FILE_BYTES: Final = 256 << 10
_MAX_BYTES: Final = 8 << 20
"""Of all texts of a repository: licences of a thousand vendored libraries."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A text that goes with the files of a repository."""

    paths: tuple[str, ...]
    """Of the licence file itself, or of the sources that begin with the text."""
    text: str
    is_header: bool
    """Whether it is the comment that a source begins with."""


def read_notices(archive: bytes, used_paths: Collection[str]) -> list[Notice]:
    """Return the notices of a snapshot (`tar.zst`) that concern the files `used_paths`.

    These are the licence files in the folders above one of them, and what they begin with where it
    says whose they are; each text once, in the order of the paths.
    """
    folders = {folder for path in used_paths for folder in PurePosixPath(path).parents}
    texts: dict[str, str] = {}
    headers: dict[str, list[str]] = {}
    free_bytes = _MAX_BYTES

    for member, content in _iter_files(archive):
        path = PurePosixPath(member)
        is_notice = _NOTICE_FILE.fullmatch(path.name) is not None
        is_program = path.suffix.lower() in _PROGRAM_SUFFIXES
        if is_notice and not is_program and path.parent in folders:
            text = content[: min(_MAX_FILE_BYTES, free_bytes)].decode(
                "utf-8", "replace"
            )
            texts[member] = text
            free_bytes -= len(text)
        elif member in used_paths:
            header = _cut_header(content)
            if header and len(header) <= free_bytes:
                headers.setdefault(header, []).append(member)
                free_bytes -= len(header)

    files = [Notice((path,), text, False) for path, text in sorted(texts.items())]
    comments = [Notice(tuple(sorted(own)), text, True) for text, own in headers.items()]
    return [*files, *sorted(comments, key=lambda notice: notice.paths)]


def _iter_files(archive: bytes) -> Iterator[tuple[str, bytes]]:
    with (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(archive)) as stream,
        tarfile.open(fileobj=stream, mode="r|") as members,
    ):
        for member in members:
            file = members.extractfile(member)
            if file:
                yield member.name, file.read()


def _cut_header(content: bytes) -> str:
    """Return the comments that a source begins with; empty where they say nothing of its author."""
    start = content[:_MAX_HEADER_BYTES].decode("utf-8", "replace")
    comments = _LEADING_COMMENTS.match(start)
    if comments is None or not _SAYS_WHOSE_IT_IS.search(comments.group()):
        return ""

    return comments.group().replace("#pragma once", "").strip()
