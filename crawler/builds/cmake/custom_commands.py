"""Build sources and headers that custom commands of a configured build folder generate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

# `build.ninja`, as CMake writes it
_CUSTOM_BUILD: Final = re.compile(
    r"^build ([^\n]{1,100000}?): CUSTOM_COMMAND\b", re.MULTILINE
)
# Outputs are separated by spaces, implicit ones by `|`; `$ ` is a space inside of a name.
_OUTPUT_SEPARATOR: Final = re.compile(r"(?<!\$)[ |]+")
_NINJA_ESCAPE: Final = re.compile(r"\$(.)")
_MAX_OUTPUTS: Final = 4096
_MAX_CHARACTERS: Final = 400_000
_MAX_SECONDS: Final = 30.0


def list_custom_outputs(build_folder: Path) -> tuple[str, ...]:
    """Return the sources and headers that custom commands generate, by their names in Ninja."""
    try:
        content = read_untrusted_file(build_folder / "build.ninja")
    except BadDatabase:
        return ()

    rules = content.decode("utf-8", "replace")
    distinct_outputs = dict.fromkeys(_iter_source_outputs(rules))
    fitting_outputs = _take_while_fitting(distinct_outputs)

    return tuple(islice(fitting_outputs, _MAX_OUTPUTS))


def build_custom_outputs(
    targets: tuple[str, ...],
    mounts: tuple[Mount, ...],
    folder: str,
    seconds: float,
    env: dict[str, str],
) -> CompletedProcess:
    """Build `targets` with Ninja in `folder`, and go on where one of them fails."""
    limits = Limits(
        seconds=min(_MAX_SECONDS, seconds),
        cpu_seconds=60,
        file_bytes=256 << 20,
    )

    return sandbox.run(
        ("ninja", "-k", "0", *targets),
        mounts=mounts,
        cwd=folder,
        env=env,
        limits=limits,
    )


def _iter_source_outputs(rules: str) -> Iterator[str]:
    for outputs in _CUSTOM_BUILD.findall(rules):
        for word in _OUTPUT_SEPARATOR.split(outputs):
            name = _NINJA_ESCAPE.sub(r"\1", word)
            # `${cmake_ninja_workdir}x.h` is a second name of the output `x.h` beside it.
            if word.startswith("$") or name.startswith("-"):
                continue

            if get_suffix(name) in SOURCE_SUFFIXES:
                yield name


def _take_while_fitting(names: Iterable[str]) -> Iterator[str]:
    """Yield as many names as one command line may hold."""
    characters = 0
    for name in names:
        characters += len(name) + 1
        if characters > _MAX_CHARACTERS:
            return

        yield name
