"""Command `crawl`: run the whole pipeline on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from workers.cli.crawls.crawl_options import (
    CrawlDeviceOption,
    CrawlTargetsOption,
    DryRunOption,
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
    make_repository_filter,
)
from workers.cli.crawls.crawl_report import report_crawl
from workers.cli.crawls.dry_run import print_repositories
from workers.cli.options import JsonOption, context_settings

if TYPE_CHECKING:
    from crawler.sources.options import RepositoryFilter
    from workers.config.settings import Settings


def crawl(
    context: typer.Context,
    locators: LocatorsArgument = None,
    listed: LocatorFileOption = None,
    limit: RepositoryLimitOption = 0,
    dry_run: DryRunOption = False,
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
    settings = context_settings(
        context,
        targets=targets,
        devices=device,
        project_tests=project_tests,
        workers=workers,
    )
    all_locators = require_locators(locators, listed)
    repository_filter = make_repository_filter(context.params)

    if dry_run:
        return print_repositories(
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

    In the file, empty lines and those that start with `#` count for nothing. The name of a folder
    that is no text is spelled as text, since locators are stored and printed.
    """
    from crawler.errors import Misconfigured
    from crawler.sources.file_names import spell_name

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

    spelled = (
        locator if locator.isprintable() else spell_name(locator)
        for locator in all_locators
    )
    return list(dict.fromkeys(spelled))


def _run_crawl(
    locators: list[str],
    settings: Settings,
    repository_filter: RepositoryFilter,
    limit: int,
    as_json: bool,
) -> int:
    from crawler.validate.suites.interface import NATIVE_SUITES
    from crawler.validate.suites.torch_environment import open_torch_environment
    from workers.config.configured_storage import open_configured_storage
    from workers.local.crawl import run_crawl
    from workers.local.progress import open_display

    if settings.project_tests not in ("", NATIVE_SUITES):
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
