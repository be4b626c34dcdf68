"""The headers that all preprocessed sources of a kind begin with, compiled once for all of them."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from crawler import cache, headers
from crawler.process import CompletedProcess
from crawler.toolchains import discovery
from crawler.validate.programs.host_build.line_markers import split_by_origin
from crawler.validate.toolchains.precompiled_headers import STALE_HEADER_PATTERN

_PREFIX_FILE: Final = "prefix.ii"
_PRECOMPILED_FILE: Final = "prefix.pch"
_PRECOMPILE_FLAGS: Final = (
    "-fsyntax-only",
    "-fpch-instantiate-templates",
    # the text is written anew for each source, and its time says nothing
    *("-Xclang", "-fno-pch-timestamp"),
    *("-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", _PRECOMPILED_FILE),
)
# Rule: GCC, "Preprocessor Output": 1 begins a file, 2 returns to one, 3 is a system header
_NESTING: Final = re.compile(r'^(# \d+ "(?:[^"\\\n]|\\.)*")(?: [12])+', re.MULTILINE)
# lines of preprocessed text that are neither empty nor such a marker
_CONTENT: Final = re.compile(r"^(?!# \d)[^\n]*\S", re.MULTILINE)
_SHARED_PART: Final = 0.9
"""Of what headers give, in characters: it is in the prefix, and the rest may be behind it."""
_FAILED_KEYS: Final[set[str]] = set()
"""Keys of those that could not be made: trying each time would cost more than they save."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSource:
    """A preprocessed source in two parts."""

    prefix: str
    """What headers of ours and of the system give before the project's own files say anything, or
    the first of it where little is left.
    """
    rest: str


def split_source(preprocessed: str) -> SplitSource:
    """Split a preprocessed source at the first line that the project's own files have.

    What these include before is the prefix, whichever of them does. It names none of them, so
    that sources which begin with the same headers have the same prefix.
    """
    texts: list[str] = []
    ends: list[int] = []
    position = 0

    for region in split_by_origin(preprocessed):
        has_content = _CONTENT.search(region.text) is not None
        if has_content and not region.is_system:
            break
        position += len(region.text)
        # a header that an earlier one has included leaves nothing
        if has_content:
            texts.append(region.text)
            ends.append(position)

    if not texts or position == len(preprocessed):
        return SplitSource(prefix="", rest=preprocessed)

    count = _count_shared_headers(texts)
    # there is nothing to return from in a text that begins here
    return SplitSource(
        prefix=_NESTING.sub(r"\1", "".join(texts[:count])),
        rest=_NESTING.sub(r"\1", preprocessed[ends[count - 1] :]),
    )


def _count_shared_headers(texts: Sequence[str]) -> int:
    """Return how many of the headers `texts` are worth compiling for other sources, too.

    Sources that begin alike often differ in a last small header, and a prefix costs minutes.
    """
    wanted_length = _SHARED_PART * sum(map(len, texts))
    lengths = accumulate(map(len, texts))
    return 1 + next(
        index for index, length in enumerate(lengths) if length >= wanted_length
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixCompiler:
    """A compiler of prefixes for one set of flags, which are all that its sources are compiled
    with.
    """

    compiler: Path
    flags: tuple[str, ...]
    work: Path
    """The folder in which commands run, and where a prefix is written to."""
    run: Callable[[Sequence[str], str], CompletedProcess]
    """Runs a command, which may leave a file of this name in `work`."""

    def precompile(self, prefix: str) -> tuple[str, ...]:
        """Return the flags that put a precompiled `prefix` in front of a source; none where it
        cannot be made.

        Ask before every use: another process may have dropped it since.
        """
        key = self._name_prefix(prefix)
        if not prefix or key in _FAILED_KEYS:
            return ()

        # clang wants to see what a precompiled header was made of
        (self.work / _PREFIX_FILE).write_text(prefix, "utf-8", "surrogateescape")
        folder = cache.get_or_build(
            f"prefix-{key}", self._precompile, required_file=_PRECOMPILED_FILE
        )
        if folder is None:
            _FAILED_KEYS.add(key)
            return ()

        header = str(folder / _PRECOMPILED_FILE)
        # the driver drops `-include-pch` in front of what is preprocessed
        return ("-Xclang", "-include-pch", "-Xclang", header)

    def _precompile(self, folder: Path) -> bool:
        language = ("-x", "c++-header")
        argv = (*self.flags, *language, _PREFIX_FILE, *_PRECOMPILE_FLAGS)
        completed = self.run((str(self.compiler), *argv), _PRECOMPILED_FILE)
        precompiled = self.work / _PRECOMPILED_FILE
        if completed.exit_code or not precompiled.is_file():
            return False

        shutil.move(precompiled, folder / _PRECOMPILED_FILE)
        return True

    def _name_prefix(self, prefix: str) -> str:
        identity = (
            self.compiler,
            self.flags,
            _PRECOMPILE_FLAGS,
            # no other tool has a part in it, wherever those lie
            discovery.find_clang(),
            prefix,
        )
        text = headers.drop_place(repr(identity)).encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()


def is_refused(completed: CompletedProcess) -> bool:
    """Tell whether a source failed for the precompiled prefix, and not for what it says."""
    failed = completed.exit_code != 0
    return failed and STALE_HEADER_PATTERN.search(completed.text) is not None
