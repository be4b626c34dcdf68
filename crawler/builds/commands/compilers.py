"""Recognise compilers by name, and list the sources on their command lines."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)

# the name of a program, with a target in front and a version behind it
_COMPILER: Final = re.compile(
    r"(?:\w+(?:-\w+){2,3}-)?"
    r"(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|nvcc|hipcc|amdclang|amdclang\+\+|icc|icpc|icx"
    r"|icpx|nvc|nvc\+\+|mpicc|mpicxx|mpic\+\+|mpiCC|xlC|xlc\+\+|cudafe\+\+|clang-cuda)"
    r"(?:[-.][\d.]+)?(?:\.bin)?"
)
# fmt: off
_VALUED_FLAGS: Final = frozenset({
    "-o", "-I", "-D", "-U", "-L", "-l", "-MF", "-MT", "-MQ", "-MJ", "-include", "-imacros",
    "-isystem", "-iquote", "-idirafter", "--output-file", "-Xcompiler", "--compiler-options",
    "-Xlinker", "-Xclang", "-ccbin", "-arch", "-gencode", "-code", "-odir", "-Xptxas", "-T",
    "-u", "-z", "-target", "--param", "-isysroot", "-dumpbase",
})
# fmt: on
_LANGUAGES: Final = {
    "-x": frozenset({"cu", "cuda", "hip", "c++", "c"}),
    "--language": frozenset({"cu"}),
}
_LINKED_SUFFIXES: Final = frozenset(
    {"o", "obj", "a", "so", "lib", "dll", "dylib", "lo", "la"}
)
_MAX_WORDS: Final = 400_000
"""Words of all entries of one command line: each of its sources has the whole line."""
_SOURCE_SUFFIXES: Final = DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES


def is_compiler(program: str) -> bool:
    """Tell whether a program, by its name, compiles C, C++, CUDA or HIP."""
    return bool(_COMPILER.fullmatch(posixpath.basename(program)))


def iter_source_entries(
    words: Sequence[str], directory: str
) -> Iterator[DatabaseEntry]:
    """Yield an entry for each source that a compiler's command line names."""
    arguments = list(words)
    sources = dict.fromkeys(_iter_sources(words[1:]))

    max_sources = max(1, _MAX_WORDS // len(words))

    for source in islice(sources, max_sources):
        yield DatabaseEntry(file=source, directory=directory, arguments=arguments)


def _iter_sources(words: Sequence[str]) -> Iterator[str]:
    has_language = False
    pending = iter(words)

    for word in pending:
        if word in _LANGUAGES:
            # `-x none` ends the effect of an earlier one
            has_language = next(pending, "") in _LANGUAGES[word]
        elif word in _VALUED_FLAGS:
            next(pending, "")
        elif word.startswith(("-", "@")):
            continue
        # behind `-x cu` a file of any name is a source, e.g. `nvcc -x cu kernels.inc`
        elif get_suffix(word) in _SOURCE_SUFFIXES or (
            has_language and get_suffix(word) not in _LINKED_SUFFIXES
        ):
            yield word
