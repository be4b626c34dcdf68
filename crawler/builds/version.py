"""Stage version of `build-db`, raised when the same tree would yield other commands."""

from __future__ import annotations

from typing import Final

VERSION: Final = "38"
