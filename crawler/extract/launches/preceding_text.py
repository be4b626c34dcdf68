"""The text in front of a launch in its function, which may say what its arguments hold."""

from __future__ import annotations

from typing import Final

from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.launch_syntax import LaunchText

_WINDOW: Final = 4_000
"""Characters in front of a launch that are looked at where its function is not known."""
_LONGEST_FUNCTION: Final = 64_000


def text_before_launch(
    source: SourceText, function_start: int, launch_text: LaunchText
) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a launch in
    it.
    """
    preceding = text_before_offset(
        source,
        function_start,
        launch_text.start,
    )
    return preceding + launch_text.preceding_text


def text_before_offset(source: SourceText, function_start: int, offset: int) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a place in
    it.
    """
    window = _LONGEST_FUNCTION if function_start >= 0 else _WINDOW
    start = max(0, function_start, offset - window)
    return source.text_between(start, offset)
