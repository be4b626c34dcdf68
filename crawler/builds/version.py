"""The version of the stage `build-db`: raised when the same tree would give other commands."""

from __future__ import annotations

from typing import Final

VERSION: Final = "27"
