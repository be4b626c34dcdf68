"""Exit codes of the command line."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
FAILED: Final = 1
"""Some task failed."""
USAGE: Final = 2
"""The command was called wrongly, or the configuration does not allow it."""
BUG: Final = 3
NOTHING: Final = 4
"""Nothing matched."""
INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as shells have it."""
