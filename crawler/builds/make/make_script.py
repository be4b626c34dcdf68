"""The script that runs many calls of make in one sandbox, and what each call printed."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.builds.make.make_call import MakeCall
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.process_limits import Limits

_MAX_PRINTED_BYTES: Final = 4 << 20
"""For one call of make."""
_BEGIN_MARK: Final = "kernelset: make"
END_MARK: Final = "kernelset: ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMode:
    """How make runs: its flags, and the time that it has."""

    flags: tuple[str, ...]
    call_seconds: int
    """For one call of make."""
    limits: Limits
    """For all calls of the script."""


def write_script(
    calls: Sequence[MakeCall], mode: RunMode, scratch: Path, *, is_clean: bool
) -> Path:
    """Write a shell script that makes the calls, and return its path in `scratch`.

    Where the source `is_clean`, make takes everything for out of date.
    """
    # `-B` would make a configured project run its `configure` again.
    flags = mode.flags

    if is_clean:
        flags = (*flags, "-B")

    steps = [
        _format_script_step(number, call, flags, mode.call_seconds)
        for number, call in enumerate(calls)
    ]

    scratch_count = len(list(scratch.iterdir()))
    script = scratch / f"jobs-{scratch_count}"
    script.write_text("".join(steps))

    return script


def _format_script_step(
    number: int, call: MakeCall, flags: tuple[str, ...], seconds: int
) -> str:
    words = (
        "timeout",
        "-k",
        "1",
        str(seconds),
        "make",
        "-C",
        posixpath.join(SOURCE_MOUNT, call.folder),
        *flags,
        *call.arguments,
    )

    command = shlex.join(words)
    # A makefile that prints without end is ended by `head`, through a broken pipe.
    bounded_command = (
        f'{{ {command} </dev/null; echo "{END_MARK} $?"; }} 2>&1'
        f" | head -c {_MAX_PRINTED_BYTES}"
    )

    return f'echo "{_BEGIN_MARK} {number}"\n{bounded_command}\necho\n'


def split_output(output: str) -> dict[int, str]:
    """Return what each call printed, by its number."""
    begin_mark = rf"^{_BEGIN_MARK} (\d{{1,6}})\n"
    parts = re.split(begin_mark, output, flags=re.MULTILINE)

    # numbers and texts take turns, behind what stands before the first mark
    numbers = map(int, parts[1::2])
    outputs = parts[2::2]

    return dict(zip(numbers, outputs, strict=True))
