"""Version of the list and clone stages; raise it when a locator would give different files."""

from __future__ import annotations

from typing import Final

VERSION: Final = "5"
