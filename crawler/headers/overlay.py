"""Virtual file system overlay that maps header aliases to bundled headers."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from crawler.headers import ROOT
from crawler.libraries.discovery import list_hidden_files

_ALIASES_FILE: Final = ROOT / "names.txt"
_NOWHERE: Final = f"{ROOT}/nowhere"
"""A file that is not there."""
_DIALECT_TREES: Final = ("cuda/", "hip_parse/")
# a line of our own list of names: `{cub,thrust}/version.h`
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def read_header_aliases() -> Iterator[tuple[str, str]]:
    """Yield (alias of a header, file that it stands for), both relative to the tree.

    The file of aliases has a section for each header: `[FILE]`, then a pattern on each line.
    """
    target = ""
    for line in _ALIASES_FILE.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue

        if line.startswith("["):
            target = line.strip("[]")
            continue

        folder = target.partition("/")[0]

        for name in _iter_expansions(line):
            yield f"{folder}/{name}", target


def render_overlay() -> str:
    """Return the text for clang's `-ivfsoverlay`, which shows every alias beside the real files.

    It hides installed libraries that we have shims of: a compiler would find there what a shim
    lacks, and mix two libraries. Who wants one sees it by `libraries.view`.
    """
    files = [
        (str(ROOT / name), str(ROOT / file)) for name, file in read_header_aliases()
    ]
    # file by file: clang 19 crashes where a folder is shown as a file and it looks below it
    hidden = [(path, _NOWHERE) for path in list_hidden_files()]
    return _render_files([*files, *hidden])


def render_program_overlay() -> str:
    """Return the text of an overlay for programs that are to run: the aliases of the trees of CUDA
    and HIP alone.

    A parse makes do with declarations of Thrust and GoogleTest; a program needs the installed ones.
    """
    return _render_files(
        [
            (str(ROOT / name), str(ROOT / file))
            for name, file in read_header_aliases()
            if name.startswith(_DIALECT_TREES)
        ]
    )


def _render_files(files: Iterable[tuple[str, str]]) -> str:
    """Return the text of an overlay for pairs of (path, path of the file that it shows)."""
    folders: dict[str, list[Any]] = {}
    for path, contents in sorted(files):
        folder, _, file_name = path.rpartition("/")
        entry = {"name": file_name, "type": "file", "external-contents": contents}
        folders.setdefault(folder, []).append(entry)

    roots = [
        {"name": folder, "type": "directory", "contents": entries}
        for folder, entries in sorted(folders.items())
    ]
    return json.dumps({"version": 0, "case-sensitive": "true", "roots": roots})


def _iter_expansions(pattern: str) -> Iterator[str]:
    """Yield the names of a pattern with braces: `a{b,c}.h` is `ab.h` and `ac.h`."""
    choices: list[list[str]] = []
    for index, part in enumerate(_BRACES.split(pattern)):
        # a split by one group alternates between text and what the group matched
        is_in_braces = index % 2 == 1
        alternatives = part.split(",") if is_in_braces else [part]
        choices.append(alternatives)

    for combination in itertools.product(*choices):
        yield "".join(combination)
