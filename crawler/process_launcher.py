"""Start a process under limits without a copy of ourselves.

Python forks to run code of ours in the new process, and a fork copies the page tables: of a
process of 270 MB that takes 25 ms of the processor. A shell that sets the limits and then becomes
the program takes 4 ms.
"""

from __future__ import annotations

import os
import resource
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits

_SHELL: Final = "/bin/sh"
_SETUP_FAILED: Final = 127
_OOM_SCORE: Final = 500
_BLOCK_BYTES: Final = 512
"""What POSIX counts the sizes of files in."""
_PROCESSES: Final = "ulimit -u {0} 2>/dev/null || ulimit -p {0}"
"""As bash calls it, and as dash does."""


def find_launcher() -> str:
    """Return the program that has a process die with its parent; empty where there is none."""
    return (shutil.which("setpriv") or "") if Path(_SHELL).exists() else ""


def build_launch_command(
    launcher: str, argv: Sequence[str], limits: Limits, entry_files: Sequence[Path]
) -> tuple[str, ...]:
    """Return the command that becomes `argv`, with `limits` on each of its processes.

    It writes itself into each of `entry_files`, dies with us, and is the first to be killed where
    the whole machine lacks memory. Where something of this fails, `argv` does not begin.
    """
    script = "\n".join(_iter_lines(limits, entry_files))
    dying = (launcher, "--pdeathsig", "KILL", "--")
    return (*dying, _SHELL, "-c", script, "sh", *argv)


def _iter_lines(limits: Limits, entry_files: Sequence[Path]) -> Iterator[str]:
    # a parent that died before this began sends no signal any more
    yield f'[ "$PPID" = {os.getpid()} ] || exit {_SETUP_FAILED}'

    for entry_file in entry_files:
        yield f"echo 0 >{shlex.quote(str(entry_file))} || exit {_SETUP_FAILED}"

    yield f"{{ echo {_OOM_SCORE} >/proc/self/oom_score_adj; }} 2>/dev/null"
    # a core file would fill the disk
    yield "ulimit -c 0"

    for kind, bound, unit, word in (
        (resource.RLIMIT_AS, limits.memory_bytes, 1024, "ulimit -v {}"),
        (resource.RLIMIT_FSIZE, limits.file_bytes, _BLOCK_BYTES, "ulimit -f {}"),
        (resource.RLIMIT_NOFILE, limits.open_files, 1, "ulimit -n {}"),
        (resource.RLIMIT_CPU, limits.cpu_seconds, 1, "ulimit -t {}"),
        (resource.RLIMIT_NPROC, limits.processes, 1, _PROCESSES),
    ):
        if bound:
            count = -(-_lower_to_hard_limit(kind, bound) // unit)
            yield f"{{ {word.format(count)}; }} || exit {_SETUP_FAILED}"

    # what a shell adds by itself would tell of the host
    yield "unset PWD OLDPWD SHLVL"
    yield 'exec "$@"'


def _lower_to_hard_limit(kind: int, bound: int) -> int:
    hard_limit = resource.getrlimit(kind)[1]
    return bound if hard_limit == resource.RLIM_INFINITY else min(bound, hard_limit)
