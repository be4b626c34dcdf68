"""Command `crawl`: run the whole pipeline on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.crawls.crawl_options import (
    CrawlDeviceOption,
    CrawlTargetsOption,
    ForksOption,
    LanguagesOption,
    LicencesOption,
    LocatorFileOption,
    LocatorsArgument,
    MaxKilobytesOption,
    MinStarsOption,
    NoArchivedOption,
    NoTemplatesOption,
    ProjectTestsOption,
    PushedSinceOption,
    RepositoryLimitOption,
    TopicsOption,
    WorkersOption,
)
from workers.cli.crawls.crawl_report import join_counts, report_crawl
from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.model import Repo
    from crawler.sources.options import RepositoryFilter
    from workers.config.settings import Settings


def crawl(
    context: typer.Context,
    locators: LocatorsArgument = None,
    listed: LocatorFileOption = None,
    limit: RepositoryLimitOption = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would be crawled.")
    ] = False,
    targets: CrawlTargetsOption = None,
    device: CrawlDeviceOption = None,
    project_tests: ProjectTestsOption = None,
    workers: WorkersOption = None,
    forks: ForksOption = False,
    no_archived: NoArchivedOption = False,
    no_templates: NoTemplatesOption = False,
    languages: LanguagesOption = "",
    licences: LicencesOption = "",
    topics: TopicsOption = "",
    min_stars: MinStarsOption = 0,
    max_kilobytes: MaxKilobytesOption = 0,
    pushed_since: PushedSinceOption = "",
    as_json: JsonOption = False,
) -> int:
    """Crawl repositories, compile their kernels, and port them.

    The stages are list, clone, build-db, extract, link, port and validate; with --device
    the kernels are run, too.

    Ctrl-C or a crash loses nothing: the same command goes on where it was. Asked again, an
    owner is listed anew, and
    only what was pushed to since is looked into.

    Examples: `kernelset crawl pypi:mmcv==2.2.0`, `kernelset crawl github:ROCm --min-stars 10
    --pushed-since 2026-01-01`
    """
    from crawler.sources.options import RepositoryFilter

    settings = context_settings(
        context,
        targets=targets,
        devices=device,
        project_tests=project_tests,
        workers=workers,
    )
    all_locators = require_locators(locators, listed)
    repository_filter = RepositoryFilter(
        forks=forks,
        archived=not no_archived,
        templates=not no_templates,
        languages=_split_words(languages),
        licences=_split_words(licences),
        topics=_split_words(topics),
        min_stars=min_stars,
        max_kilobytes=max_kilobytes,
        pushed_since=pushed_since,
    )

    if dry_run:
        return _print_repositories(
            all_locators, settings, repository_filter, limit, as_json
        )
    return _run_crawl(all_locators, settings, repository_filter, limit, as_json)


def require_locators(locators: list[str] | None, list_file: Path | None) -> list[str]:
    """Return what `collect_locators` does; it is wrong usage to name none."""
    all_locators = collect_locators(locators, list_file)
    if not all_locators:
        raise typer.BadParameter(
            "nothing to crawl: give a locator, such as github:ROCm, or a file of them by --from"
        )
    return all_locators


def collect_locators(locators: list[str] | None, list_file: Path | None) -> list[str]:
    """Return the locators of the command line and of a file, each once; raises `Misconfigured`.

    In the file, empty lines and those that start with `#` count for nothing.
    """
    from crawler.errors import Misconfigured

    try:
        lines = list_file.read_text("utf-8").splitlines() if list_file else []
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"{list_file} cannot be read ({error}): name a file with a locator a line"
        ) from error

    all_locators = list(locators or ())
    for line in lines:
        locator = line.strip()
        if locator and not locator.startswith("#"):
            all_locators.append(locator)
    return list(dict.fromkeys(all_locators))


def _split_words(text: str) -> tuple[str, ...]:
    words = (word.strip() for word in text.split(","))
    return tuple(word for word in words if word)


def _run_crawl(
    locators: list[str],
    settings: Settings,
    repository_filter: RepositoryFilter,
    limit: int,
    as_json: bool,
) -> int:
    from crawler.validate.suites.torch_environment import open_torch_environment
    from workers.config.configured_storage import open_configured_storage
    from workers.local.crawl import run_crawl
    from workers.local.progress import open_display

    if settings.project_tests:
        # where it has no PyTorch, that is said now, and not when the first kernel is run
        open_torch_environment(settings.project_tests)

    with open_configured_storage(settings) as storage:
        with open_display() as display:
            session = run_crawl(
                locators,
                settings,
                storage,
                display,
                limit=limit,
                repository_filter=repository_filter,
            )
        return report_crawl(storage, session, as_json)


def _print_repositories(
    locators: list[str],
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
