"""Build sources and headers that custom commands of a configured build folder generate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

_MADE: Final = re.compile(r"^build ([^\n]{1,100000}?): CUSTOM_COMMAND\b", re.MULTILINE)
_BETWEEN: Final = re.compile(r"(?<!\$)[ |]+")
_ESCAPED: Final = re.compile(r"\$(.)")
_MOST: Final = 4096
_MOST_LETTERS: Final = 400_000
_SECONDS: Final = 30.0


def list_custom_outputs(build_folder: Path) -> tuple[str, ...]:
    """Return the sources and headers that custom commands make, as Ninja calls them."""
    try:
        rules = read_untrusted_file(build_folder / "build.ninja").decode(
            "utf-8", "replace"
        )
    except BadDatabase:
        return ()
    return tuple(islice(_bounded(dict.fromkeys(_outputs(rules))), _MOST))


def build_custom_outputs(
    targets: tuple[str, ...],
    mounts: tuple[Mount, ...],
    folder: str,
    seconds: float,
    env: dict[str, str],
) -> CompletedProcess:
    """Have Ninja make them in `folder`, whichever of them fail."""
    limits = Limits(
        seconds=min(_SECONDS, seconds), cpu_seconds=60, file_bytes=256 << 20
    )
    argv = ("ninja", "-k", "0", *targets)
    return sandbox.run(argv, mounts=mounts, cwd=folder, env=env, limits=limits)


def _outputs(rules: str) -> Iterator[str]:
    for named in _MADE.findall(rules):
        for word in _BETWEEN.split(named):
            name = _ESCAPED.sub(r"\1", word)
            # what begins with a variable is another name of an output beside it
            if (
                not word.startswith("$")
                and not name.startswith("-")
                and get_suffix(name) in SOURCE_SUFFIXES
            ):
                yield name


def _bounded(names: dict[str, None]) -> Iterator[str]:
    """Yield as many as a command line may hold."""
    letters = 0
    for name in names:
        letters += len(name) + 1
        if letters > _MOST_LETTERS:
            return
        yield name
