from __future__ import annotations

from crawler.sources.options import RepositoryFilter
from workers.cli.crawls.crawl_options import make_repository_filter


def test_words_are_separated_by_commas() -> None:
    repository_filter = make_repository_filter(
        {
            "forks": True,
            "no_archived": True,
            "no_templates": False,
            "languages": " Cuda, C++ ,,",
            "licences": "MIT",
            "topics": "",
            "min_stars": 3,
            "max_kilobytes": 0,
            "pushed_since": "2026-01-31",
        }
    )
    assert repository_filter == RepositoryFilter(
        forks=True,
        archived=False,
        templates=True,
        languages=("Cuda", "C++"),
        licences=("MIT",),
        topics=(),
        min_stars=3,
        pushed_since="2026-01-31",
    )
