"""The version of the stages `list` and `clone`: raised when the same locator would give other files."""

from __future__ import annotations

from typing import Final

VERSION: Final = "2"
