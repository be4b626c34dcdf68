"""What a crawl, or whoever asks, has used of a quota, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.ledger.quotas.quota import Quota, Use
    from storage.open import Storage
    from workers.config.settings import Settings


@dataclass(frozen=True, slots=True)
class QuotaReport:
    """What was used, of how much."""

    use: Use
    quota: Quota
    hold_reason: str = ""
    """Which quota holds the crawl; empty where none does."""

    def iter_rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield a row for each thing that is used or bounded."""
        limits = asdict(self.quota)
        for name, used in asdict(self.use).items():
            if used or limits[name]:
                bound = f" of {limits[name]:.0f}" if limits[name] else ""
                yield "used", name, f"{used:.0f}{bound}"
        if self.hold_reason:
            yield "held", "over-quota", self.hold_reason

    def to_values(self) -> dict[str, object]:
        """Return what JSON shows of it."""
        return {
            "used": asdict(self.use),
            "quota": asdict(self.quota),
            "held": self.hold_reason,
        }


def read_quota_report(
    storage: Storage, settings: Settings, crawl: str = ""
) -> QuotaReport:
    """Return what a crawl used; without one, what whoever asks has used lately."""
    from workers.config.quota_rules import make_quota_rules
    from workers.config.requester import choose_requester

    rules = make_quota_rules(settings)
    if crawl:
        return QuotaReport(
            storage.quotas.use_of_crawl(crawl),
            rules.of_a_crawl,
            storage.quotas.hold_reason(crawl),
        )

    owner = choose_requester(settings)
    use = storage.quotas.use_of_owner(owner, rules.owner_days)
    return QuotaReport(use, rules.of_an_owner)
