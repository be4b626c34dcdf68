"""Why a program of a project is not built."""

from __future__ import annotations

import re
from typing import Final

from crawler.process import CompletedProcess
from crawler.validate.toolchains import compiler_messages

COMPILE_ERROR: Final = "host-compile-error"
"""Code of a source that no host compiler of ours accepts."""
UNDEFINED_SYMBOL: Final = "undefined-symbol"
"""Code of what does not link."""
_MAX_MESSAGE_LENGTH: Final = 500
# what GNU ld and lld say of names that nothing defines
_UNDEFINED: Final = re.compile(
    r"undefined reference to [^\n]*|undefined symbol: [^\n]*"
)


class BuildFailed(Exception):
    """A source that does not compile, or objects that do not link.

    `code` is stable: `host-compile-error`, `undefined-symbol`, `too-large`, ….
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def explain_failure(completed: CompletedProcess, code: str) -> BuildFailed:
    """Return why a compiler or linker failed, in its own words."""
    if completed.timed_out:
        return BuildFailed("host-compile-timeout", "the compiler took too long")

    undefined = _UNDEFINED.search(completed.text)
    if undefined:
        return BuildFailed(code, undefined[0][:_MAX_MESSAGE_LENGTH])

    diagnostics = compiler_messages.parse_diagnostics(completed.text)
    errors = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.severity in ("error", "fatal")
    ]
    message = errors[0].message if errors else completed.text.strip()

    return BuildFailed(code, message[:_MAX_MESSAGE_LENGTH])
