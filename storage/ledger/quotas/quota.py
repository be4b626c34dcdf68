"""What a task, a crawl or an owner used, and how much it may use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How much was used."""

    tasks: int = 0
    """Tasks that ended."""
    stored_bytes: int = 0
    """Of contents that were not there before, as they are before they are compressed."""
    cpu_seconds: float = 0.0
    """Of processors, by tasks with all that they started."""
    gpu_seconds: float = 0.0
    """For which tasks held a GPU."""


NO_USE: Final = Use()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How much may be used; zero for any amount."""

    tasks: int = 0
    stored_bytes: int = 0
    cpu_seconds: float = 0.0
    gpu_seconds: float = 0.0

    @property
    def is_set(self) -> bool:
        """Whether it bounds anything."""
        return any(getattr(self, each.name) for each in fields(self))

    def describe_excess(self, use: Use) -> str:
        """Say what of the quota is used up, as `cpu_seconds 3712 of 3600`; empty for nothing."""
        spent: list[str] = []
        for each in fields(self):
            limit, used = getattr(self, each.name), getattr(use, each.name)
            if limit and used >= limit:
                spent.append(f"{each.name} {used:.0f} of {limit:.0f}")
        return ", ".join(spent)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRules:
    """The quotas of all crawls, and of all who ask for them."""

    of_a_crawl: Quota = Quota()
    """In its whole life."""
    of_an_owner: Quota = Quota()
    """Of all their crawls together, in the last `owner_days`."""
    owner_days: int = 30

    @property
    def is_set(self) -> bool:
        """Whether they bound anything."""
        return self.of_a_crawl.is_set or self.of_an_owner.is_set
