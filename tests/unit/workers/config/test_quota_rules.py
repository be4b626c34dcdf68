"""Quotas are read from settings, and what is no quota is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.ledger.quotas.quota import Quota, QuotaRules, Use
from workers.config.quota_rules import make_quota_rules, parse_quota
from workers.config.settings import Settings


def test_quotas_are_read(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path,
        crawl_quota="tasks=5, stored_bytes=1000000000000",
        owner_quota="cpu_seconds = 3600,gpu_seconds=60,",
        owner_quota_days=7,
    )
    assert make_quota_rules(settings) == QuotaRules(
        of_a_crawl=Quota(tasks=5, stored_bytes=10**12),
        of_an_owner=Quota(cpu_seconds=3600, gpu_seconds=60),
        owner_days=7,
    )


def test_without_quotas_nothing_is_bounded(tmp_path: Path) -> None:
    rules = make_quota_rules(Settings(home=tmp_path))
    assert not rules.is_set
    use = Use(tasks=10**9, stored_bytes=10**18, cpu_seconds=1e9, gpu_seconds=1e9)
    assert rules.of_a_crawl.describe_excess(use) == ""


@pytest.mark.parametrize(
    "value",
    ["5000", "tasks", "tasks=0", "tasks=-1", "tasks=1.5", "cpu=3", "tasks=1,tasks=2"],
)
def test_what_is_no_quota_is_refused(value: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"quota|whole number"):
        parse_quota(value)
    with pytest.raises(ValueError, match="crawl_quota"):
        Settings(home=tmp_path, crawl_quota=value)
