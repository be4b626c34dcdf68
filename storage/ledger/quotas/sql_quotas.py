"""Hold crawls that used up a quota, let go of those that may go on, and tell what was used."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Engine,
    Select,
    func,
    select,
    union,
    update,
)

from storage.database.engine import (
    AdvisoryLock,
    read_transaction,
    write_transaction,
)
from storage.ledger.crawls.crawl_membership import ACTIVE_CRAWL, OVER_QUOTA_CRAWL
from storage.ledger.crawls.crawl_state import forget_messages
from storage.ledger.quotas.charging import to_day
from storage.ledger.quotas.quota import NO_USE, QuotaRules, Use
from storage.tables import CRAWL, CRAWL_USE

_IS_HELD: Final = CRAWL.c.state == OVER_QUOTA_CRAWL
_SUMS: Final = tuple(
    func.sum(CRAWL_USE.c[name]).label(name)
    for name in ("tasks", "stored_bytes", "cpu_seconds", "gpu_seconds")
)


class SqlQuotas:
    """What crawls and owners used, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def use_of_crawl(self, crawl: str) -> Use:
        """Return what a crawl used in its whole life."""
        uses = select(CRAWL_USE.c.crawl, *_SUMS).group_by(CRAWL_USE.c.crawl)
        return self._sum(uses.where(CRAWL_USE.c.crawl == crawl))

    def use_of_owner(self, owner: str, days: int) -> Use:
        """Return what all crawls of an owner used in the last `days`."""
        uses = _select_owner_uses(to_day(self._clock()), days)
        return self._sum(uses.where(CRAWL_USE.c.owner == owner))

    def hold_reason(self, crawl: str) -> str:
        """Return which quota holds a crawl; empty where none does."""
        reason = select(CRAWL.c.hold_reason).where(CRAWL.c.id == crawl, _IS_HELD)
        with read_transaction(self._engine) as connection:
            return connection.scalar(reason) or ""

    def enforce(self, rules: QuotaRules) -> dict[str, str]:
        """Hold each active crawl that used up a quota, and let go of each that may go on.

        Returns what changed: crawl to the quota that holds it, empty where it goes on. Tasks that
        run go on to their end. Whoever asked for a crawl of which nobody knows who did is bounded
        by that crawl's quota alone.
        """
        with read_transaction(self._engine) as connection:
            changes = _find_changes(connection, rules, to_day(self._clock()))
        if not changes:
            return {}

        changed: dict[str, str] = {}
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            for crawl, reason in changes.items():
                if _change_hold(connection, crawl, reason):
                    forget_messages(connection, crawl)
                    changed[crawl] = reason
        return changed

    def _sum(self, statement: Select[Any]) -> Use:
        with read_transaction(self._engine) as connection:
            uses = _read_uses(connection, statement)
        return next(iter(uses.values()), NO_USE)


def _find_changes(
    connection: Connection, rules: QuotaRules, today: int
) -> dict[str, str]:
    held = set(connection.scalars(select(CRAWL.c.id).where(_IS_HELD)))
    if not rules.is_set:
        return dict.fromkeys(held, "")

    reasons = _find_spent_crawls(connection, rules, today)
    reasons.update(_find_crawls_of_spent_owners(connection, rules, today))

    changes = {crawl: "" for crawl in held if crawl not in reasons}
    changes.update(
        {crawl: reason for crawl, reason in reasons.items() if crawl not in held}
    )
    return changes


def _find_spent_crawls(
    connection: Connection, rules: QuotaRules, today: int
) -> dict[str, str]:
    """Return the active and the held crawls that used up their own quota, each with why."""
    if not rules.of_a_crawl.is_set:
        return {}

    # who used nothing since yesterday was looked at when it did
    recent = select(CRAWL_USE.c.crawl).where(CRAWL_USE.c.day >= today - 1)
    held = select(CRAWL.c.id).where(_IS_HELD)
    looked_at = union(recent, held).subquery()
    uses = (
        select(CRAWL_USE.c.crawl, *_SUMS)
        .join(CRAWL, CRAWL.c.id == CRAWL_USE.c.crawl)
        .where(
            CRAWL.c.state.in_((ACTIVE_CRAWL, OVER_QUOTA_CRAWL)),
            CRAWL_USE.c.crawl.in_(select(looked_at.c[0])),
        )
        .group_by(CRAWL_USE.c.crawl)
    )
    return _describe_excesses(
        _read_uses(connection, uses), "its crawl", rules.of_a_crawl.describe_excess
    )


def _find_crawls_of_spent_owners(
    connection: Connection, rules: QuotaRules, today: int
) -> dict[str, str]:
    """Return the active and the held crawls of owners that used up their quota, each with why."""
    if not rules.of_an_owner.is_set:
        return {}

    uses = _select_owner_uses(today, rules.owner_days).where(CRAWL_USE.c.owner != "")
    reasons = _describe_excesses(
        _read_uses(connection, uses), "its owner", rules.of_an_owner.describe_excess
    )
    crawls = select(CRAWL.c.id, CRAWL.c.asked_by).where(
        CRAWL.c.state.in_((ACTIVE_CRAWL, OVER_QUOTA_CRAWL)),
        CRAWL.c.asked_by.in_(list(reasons)),
    )
    return {crawl: reasons[owner] for crawl, owner in connection.execute(crawls).all()}


def _describe_excesses(
    uses: Mapping[str, Use], whose: str, describe: Callable[[Use], str]
) -> dict[str, str]:
    excesses = {name: describe(use) for name, use in uses.items()}
    return {
        name: f"{whose} has used up {excess}"
        for name, excess in excesses.items()
        if excess
    }


def _select_owner_uses(today: int, days: int) -> Select[Any]:
    is_recent = CRAWL_USE.c.day > today - days
    uses = select(CRAWL_USE.c.owner, *_SUMS).where(is_recent)
    return uses.group_by(CRAWL_USE.c.owner)


def _read_uses(connection: Connection, statement: Select[Any]) -> dict[str, Use]:
    """Return the uses of a query of a name and the sums."""
    uses: dict[str, Use] = {}
    for name, tasks, stored_bytes, cpu_seconds, gpu_seconds in connection.execute(
        statement
    ):
        uses[name] = Use(
            tasks=int(tasks or 0),
            # Postgres sums BIGINT as NUMERIC
            stored_bytes=int(stored_bytes or 0),
            cpu_seconds=float(cpu_seconds or 0),
            gpu_seconds=float(gpu_seconds or 0),
        )
    return uses


def _change_hold(connection: Connection, crawl: str, reason: str) -> bool:
    """Hold a crawl for `reason`, or let go of it without one; false where it was changed since."""
    before, after = OVER_QUOTA_CRAWL, ACTIVE_CRAWL
    if reason:
        before, after = after, before
    statement = update(CRAWL).where(CRAWL.c.id == crawl, CRAWL.c.state == before)
    return bool(
        connection.execute(statement.values(state=after, hold_reason=reason)).rowcount
    )
