"""Include HIP's headers in place of CUDA's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit
from crawler.port.tables import RENAMED_HEADER_FOLDERS, RENAMED_HEADERS


class _RenameHeaders:
    name = "rename_headers"
    order = 40
    keeps_lines = True

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        for start, end in source.header_ranges:
            before = source.text[start:end]
            after = translate_header(before)
            if after == before:
                continue

            yield RuleEdit(
                start=start,
                end=end,
                replacement=after,
                rule="header",
                before=before,
                after=after,
            )


@lru_cache(maxsize=4096)
def translate_header(text: str) -> str:
    """Return what an included header, with its brackets or quotes, becomes."""
    header = text[1:-1]
    hip_header = RENAMED_HEADERS.get(header) or _header_of_folder(header)
    return f"<{hip_header}>" if hip_header else text


def _header_of_folder(header: str) -> str:
    """Return the one HIP header that stands for a folder of CUDA's, such as `cub/`."""
    for folder, hip_header in RENAMED_HEADER_FOLDERS.items():
        if header.startswith(folder):
            return hip_header

    return ""


PLUGIN: Final[PortRule] = _RenameHeaders()
