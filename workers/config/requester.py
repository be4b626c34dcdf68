"""Who asks, as it is kept."""

from __future__ import annotations

import getpass
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.config.settings import Settings


def choose_requester(settings: Settings) -> str:
    """Return the name that is set, else the login's; the user's number where it has no name."""
    if settings.requester:
        return settings.requester
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # containers run as users that no list has
        return str(os.getuid())
