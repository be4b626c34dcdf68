"""Virtual file system overlay that maps header aliases to bundled headers."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from crawler.headers import ROOT

_NAMES: Final = ROOT / "names.txt"
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def read_header_aliases() -> Iterator[tuple[str, str]]:
    """Yield (a header's name, the file that it means), both relative to the tree."""
    target = ""
    for line in _NAMES.read_text("utf-8").splitlines():
        if line.startswith("["):
            target = line.strip("[]")
        elif line and not line.startswith("#"):
            folder = target.partition("/")[0]
            yield from ((f"{folder}/{name}", target) for name in _expanded(line))


def render_overlay() -> str:
    """Return the text for clang's `-ivfsoverlay`, which shows every alias beside the files that
    there are.
    """
    folders: dict[str, list[Any]] = {}
    for name, target in sorted(read_header_aliases()):
        folder, _, file = name.rpartition("/")
        shown = {"name": file, "type": "file", "external-contents": str(ROOT / target)}
        folders.setdefault(str(ROOT / folder), []).append(shown)
    roots = [
        {"name": folder, "type": "directory", "contents": files}
        for folder, files in sorted(folders.items())
    ]
    return json.dumps({"version": 0, "case-sensitive": "true", "roots": roots})


def _expanded(pattern: str) -> Iterator[str]:
    parts = _BRACES.split(pattern)
    choices = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    return ("".join(chosen) for chosen in itertools.product(*choices))
