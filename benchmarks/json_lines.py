"""Read what an interrupted benchmark left, one JSON value a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_json_lines(path: Path, end: str = "}") -> Iterator[Any]:
    """Yield the values of a file, which need not exist, by line.

    Lines that do not stop with `end` are skipped: a run that was killed may have
    left half a line, at the end of the file or before what the next run appended.
    """
    if not path.exists():
        return

    for line in path.read_text().splitlines():
        if line.endswith(end):
            yield json.loads(line)
