"""Read quotas as settings write them: `tasks=5000, cpu_seconds=36000`."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

from storage.ledger.quotas.quota import Quota, QuotaRules

if TYPE_CHECKING:
    from workers.config.settings import Settings

_NAMES: Final = tuple(field.name for field in fields(Quota))


def parse_quota(value: str) -> Quota:
    """Return the quota that a setting names; raises `ValueError` where it is not understood."""
    limits: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in value.split(","))):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in _NAMES or name in limits:
            names = ", ".join(_NAMES)
            raise ValueError(
                f"{part!r} is no part of a quota: give each of {names} once"
            )
        limits[name] = _parse_number(name, number)
    return Quota(**limits)


def _parse_number(name: str, number: str) -> int:
    if not number.isdecimal() or len(number) > 18 or not int(number):
        raise ValueError(f"{name} takes a whole number above 0, as in `{name}=3600`")
    return int(number)


def check_quota(value: str) -> str:
    """Return `value` as it is; raises `ValueError` where it is no quota."""
    parse_quota(value)
    return value


def make_quota_rules(settings: Settings) -> QuotaRules:
    """Return the quotas of the settings."""
    return QuotaRules(
        of_a_crawl=parse_quota(settings.crawl_quota),
        of_an_owner=parse_quota(settings.owner_quota),
        owner_days=settings.owner_quota_days,
    )
