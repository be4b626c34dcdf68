"""What a stand-in GitHub keeps: repositories, and requests that it saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Repository:
    """One repository of the stand-in."""

    id: int
    owner: str
    name: str
    pushed_at: str
    facts: dict[str, Any] = field(default_factory=dict)
    """Fields that differ from the usual ones."""


@dataclass
class Request:
    """One request as the server saw it."""

    path: str
    status: int
    user: str
    charged: bool
    """Whether it counts against a limit: what did not change costs nothing."""
