"""The version of the tables, apart from what opens and migrates them, which is slow to load."""

from __future__ import annotations

from typing import Final

HEAD_REVISION: Final = "0028"
"""The newest migration; a test compares it with `migrations/versions`."""
