"""The page as a user starts it: `kernelset web` in a process of its own."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_PROGRAM = Path(sys.executable).parent / "kernelset"
_ADDRESS = re.compile(r"serving (http://\S+?)/?$")


@contextlib.contextmanager
def serving(home: Path, *words: str, **variables: str) -> Iterator[str]:
    """Give the address of a page over the store in `home`, started with `words` as options."""
    environment = {"PATH": "/usr/bin:/bin", **variables, "KERNELSET_HOME": str(home)}
    process = subprocess.Popen(
        [_PROGRAM, "web", "--port", "0", *words],
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert process.stderr
    try:
        line = process.stderr.readline()
        address = _ADDRESS.search(line.strip())
        assert address, line + process.stderr.read()
        yield address[1]
    finally:
        process.terminate()
        process.stderr.close()
        assert process.wait(30) in (0, -15)
