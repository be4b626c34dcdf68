"""Print what would be crawled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers.cli.crawls.crawl_report import join_counts
from workers.cli.exit_codes import DONE
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.model import Repo
    from crawler.sources.options import RepositoryFilter
    from workers.config.settings import Settings


def print_repositories(
    locators: Sequence[str],
    settings: Settings,
    repository_filter: RepositoryFilter,
    limit: int,
    as_json: bool,
) -> int:
    """Print what would be crawled, and what not; nothing is recorded."""
    from collections import Counter
    from dataclasses import replace
    from itertools import islice

    from crawler.sources.locator import find_source

    skip_counts: Counter[str] = Counter()
    unpinned_count = 0
    terms = replace(
        settings.terms(),
        wanted=repository_filter,
        report_skipped=lambda repo, reason: skip_counts.update([reason]),
    )

    for locator in locators:
        repositories = find_source(locator).list(locator, terms)
        for repository in islice(repositories, limit or None):
            if not repository.commit:
                unpinned_count += 1
            _print_repository(repository, as_json)

    if skip_counts:
        print_note(f"passed over: {join_counts(dict(sorted(skip_counts.items())))}")
    if unpinned_count:
        print_note(
            f"to look into {unpinned_count} of them costs two visits by git each, "
            "and no request of the API"
        )
    return DONE


def _print_repository(repository: Repo, as_json: bool) -> None:
    from crawler.codec import to_builtins

    if as_json:
        print_json(to_builtins(repository))
        return

    version = repository.commit or f"pushed {repository.pushed_at}"
    owner_prefix = f"{repository.owner}/" if repository.owner else ""
    print_line(
        escape_line(f"{repository.source}  {owner_prefix}{repository.name}  {version}")
    )
