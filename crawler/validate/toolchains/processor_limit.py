"""Tell that a compiler was ended since it had too much of the processor.

The clock goes on while other work has the processor: a bound on it would let a busy machine decide
which kernels compile.
"""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from typing import Final

from crawler.process import CompletedProcess
from crawler.process_limits import Limits

_SIGNALS: Final = (signal.SIGKILL, signal.SIGXCPU)
_SHELL_BASE: Final = 128
"""What a shell and the sandbox add to the number of a signal."""
# what a driver says of a child of its own that was ended; it then fails as for an error
_ENDED_CHILD: Final = re.compile(
    r"unable to execute command: (?:Killed|CPU time limit exceeded)"
)


def mark_timeout(
    completed: CompletedProcess, seconds: float, limits: Limits
) -> CompletedProcess:
    """Return `completed`, which ran for `seconds` by the clock, as timed out where `limits` of
    the processor ended it or a child of it.
    """
    if not limits.cpu_seconds or seconds < limits.cpu_seconds:
        return completed

    codes = [code for number in _SIGNALS for code in (-number, _SHELL_BASE + number)]
    was_ended = completed.exit_code in codes
    if was_ended or _ENDED_CHILD.search(completed.text):
        return replace(completed, timed_out=True)

    return completed
