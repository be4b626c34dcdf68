"""Command `crawl`: run the whole pipeline on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE, FAILED, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import (
    escape_line,
    escape_lines,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from crawler.sources.options import RepositoryFilter
    from storage.open import Storage
    from workers.config.settings import Settings
    from workers.local.crawl import CrawlSession
    from workers.status.crawl_summary import Funnel

_MESSAGES = 10
_OWNER = "Which repositories of an owner (github:OWNER)"


def crawl(
    context: typer.Context,
    locators: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="LOCATOR…",
            help="github:OWNER[/REPO], pypi:NAME[==VERSION], git+URL, a folder.",
        ),
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="More locators: a file with one a line."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(min=0, help="Repositories of each locator at most; 0 for all."),
    ] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would be crawled.")
    ] = False,
    targets: Annotated[
        str | None,
        typer.Option(
            help="What to compile for, separated by commas (default sm_80,gfx90a)."
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="DEVICE",
            help="Run kernels, too: on `cpu`, or then on `rocm`, `cuda`, `rocm:gfx942`.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Worker processes (default one a core).")
    ] = None,
    forks: Annotated[
        bool, typer.Option("--forks", help="Forks too.", rich_help_panel=_OWNER)
    ] = False,
    no_archived: Annotated[
        bool,
        typer.Option("--no-archived", help="No archived ones.", rich_help_panel=_OWNER),
    ] = False,
    no_templates: Annotated[
        bool,
        typer.Option("--no-templates", help="No templates.", rich_help_panel=_OWNER),
    ] = False,
    languages: Annotated[
        str, typer.Option(help="Main language, as Cuda,C++.", rich_help_panel=_OWNER)
    ] = "",
    licences: Annotated[
        str, typer.Option(help="SPDX ids, as MIT,Apache-2.0.", rich_help_panel=_OWNER)
    ] = "",
    topics: Annotated[
        str, typer.Option(help="At least one of these topics.", rich_help_panel=_OWNER)
    ] = "",
    min_stars: Annotated[
        int, typer.Option(min=0, help="Stars at least.", rich_help_panel=_OWNER)
    ] = 0,
    max_kilobytes: Annotated[
        int,
        typer.Option(
            min=0,
            help="Size at most, as the host counts it; 0 for any.",
            rich_help_panel=_OWNER,
        ),
    ] = 0,
    pushed_since: Annotated[
        str, typer.Option(help="Date, as 2026-01-31.", rich_help_panel=_OWNER)
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Crawl repositories: list, clone, build-db, extract, link, port, validate; with --device,
    run the kernels.

    Ctrl-C or a crash loses nothing: the same command goes on where it was. Asked again, an
    owner is listed anew, and
    only what was pushed to since is looked into.

    Examples: `kernelset crawl pypi:mmcv==2.2.0`, `kernelset crawl github:ROCm --min-stars 10
    --pushed-since 2026-01-01`
    """
    from crawler.sources.options import RepositoryFilter
    from workers.config.configured_storage import open_configured_storage
    from workers.local import crawl as crawls
    from workers.local.progress import open_display

    settings = context_settings(
        context, targets=targets, devices=device, workers=workers
    )
    asked = collect_locators(locators, listed)
    if not asked:
        raise typer.BadParameter(
            "nothing to crawl: give a locator, such as github:ROCm, or a file of them by --from"
        )
    wanted = RepositoryFilter(
        forks=forks,
        archived=not no_archived,
        templates=not no_templates,
        languages=_words(languages),
        licences=_words(licences),
        topics=_words(topics),
        min_stars=min_stars,
        max_kilobytes=max_kilobytes,
        pushed_since=pushed_since,
    )
    if dry_run:
        return _list(asked, settings, wanted, limit, as_json)
    with open_configured_storage(settings) as storage:
        with open_display() as shown:
            session = crawls.run_crawl(
                asked, settings, storage, shown, limit=limit, repository_filter=wanted
            )
        return report_crawl(storage, session, as_json)


def collect_locators(locators: list[str] | None, list_file: Path | None) -> list[str]:
    """Return the locators of the command line and of a file, each once; raises `Misconfigured`."""
    from crawler.errors import Misconfigured

    try:
        lines = list_file.read_text("utf-8").splitlines() if list_file else []
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"{list_file} cannot be read ({error}): name a file with a locator a line"
        ) from error
    stripped = (line.strip() for line in lines)
    found = [
        *(locators or ()),
        *(line for line in stripped if line and not line.startswith("#")),
    ]
    return list(dict.fromkeys(found))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _list(
    locators: list[str],
    settings: Settings,
    wanted: RepositoryFilter,
    limit: int,
    as_json: bool,
) -> int:
    """Print what would be crawled, and what not; nothing is recorded."""
    from collections import Counter
    from dataclasses import replace
    from itertools import islice

    from crawler.codec import to_builtins
    from crawler.sources.locator import find_source

    passed_over: Counter[str] = Counter()
    unpinned = 0
    terms = replace(
        settings.terms(),
        wanted=wanted,
        report_skipped=lambda repo, reason: passed_over.update([reason]),
    )
    for locator in locators:
        for repo in islice(find_source(locator).list(locator, terms), limit or None):
            unpinned += not repo.commit
            if as_json:
                print_json(to_builtins(repo))
            else:
                pinned = repo.commit or f"pushed {repo.pushed_at}"
                print_line(
                    escape_line(
                        f"{repo.source}  {repo.owner + '/' if repo.owner else ''}{repo.name}  {pinned}"
                    )
                )
    if passed_over:
        print_note(f"passed over: {_listed(dict(sorted(passed_over.items())))}")
    if unpinned:
        print_note(
            f"to look into {unpinned} of them costs two visits by git each, and no request of the API"
        )
    return DONE


def report_crawl(storage: Storage, session: CrawlSession, as_json: bool) -> int:
    """Print what a crawl came to, and return the exit code that says it."""
    from crawler.codec import to_builtins
    from workers.status.crawl_summary import count_funnel

    came_to = count_funnel(storage, session.crawl)
    if as_json:
        run = {
            "crawl": session.crawl,
            "tasks_done": session.tasks_done,
            "seconds": round(session.seconds, 1),
        }
        print_json(run | to_builtins(came_to))
    else:
        for line in format_table(_summary_rows(came_to, session)):
            print_line(line)
    _name_failures(storage, session.crawl)
    if came_to.failures:
        return FAILED
    if not came_to.kernels:
        print_note("no kernel was found")
        return NOTHING
    return DONE


def _summary_rows(came_to: Funnel, session: CrawlSession) -> Iterator[tuple[str, str]]:
    yield "crawl", session.crawl
    yield "repositories", str(came_to.repositories)
    yield "files with kernels", str(came_to.files)
    yield "kernels", f"{came_to.kernels} ({_listed(came_to.by_layer) or 'none'})"
    yield "units", str(came_to.units)
    if came_to.ported:
        yield "ported to HIP", describe_unportable(came_to)
    for target, statuses in came_to.compiled.items():
        yield (
            f"compiled for {target}",
            f"{statuses.get('pass', 0)} of {sum(statuses.values())} ({_listed(statuses)})",
        )
    for device, statuses in came_to.ran.items():
        good = sum(statuses.get(status, 0) for status in ("pass", "consistent"))
        yield (
            f"ran on {device}",
            f"{good} of {sum(statuses.values())} ({_listed(statuses)})",
        )
    if came_to.to_run:
        yield (
            "not run yet",
            f"{came_to.to_run} batches of kernels: the same command with --device cpu runs them",
        )
    if came_to.downloaded:
        of = (
            f" of the {came_to.weight / 1e6:,.1f} MB that they weigh at their host"
            if came_to.weight
            else ""
        )
        yield "downloaded", f"{came_to.downloaded / 1e6:,.1f} MB{of}"
    yield "reasons", _listed(came_to.reasons) or "none"
    yield "failures", _listed(came_to.failures) or "none"
    if came_to.rejected:
        yield "rejected", _listed(came_to.rejected)
    if session.tasks_done:
        yield "this run", f"{session.tasks_done} tasks in {session.seconds:.1f} s"
        yield "kernels an hour", f"{_an_hour(came_to, session):,.0f}"
    elif came_to.kernels:
        yield "this run", "nothing was redone: all of it was there"


def describe_unportable(funnel: Funnel) -> str:
    """Say how many units are ported, and which share of them has something in the way of that."""
    share = 100 * funnel.classified / max(funnel.ported, 1)
    return (
        f"{funnel.ported} ({funnel.classified} classified as unportable: {share:.1f} %)"
    )


def _an_hour(came_to: Funnel, session: CrawlSession) -> float:
    # of a run that goes on where another ended, only its own share counts
    share = min(1.0, session.tasks_done / max(came_to.ended, 1))
    return came_to.kernels * share / max(session.seconds, 0.001) * 3600


def _listed(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _name_failures(storage: Storage, crawl: str) -> None:
    ended = storage.ledger.failures(crawl)
    for failure in ended[:_MESSAGES]:
        message = escape_lines(failure.message.strip()).split("\n")[0]
        if failure.code == "internal":
            message = (
                escape_lines(failure.message.strip()).split("\n")[-1]
                + " (a bug: `kernelset failures` has it all)"
            )
        print_note(
            escape_line(
                f"{failure.state}: {failure.stage} {failure.subject} [{failure.code}] "
            )
            + message
        )
    if len(ended) > _MESSAGES:
        print_note(
            f"and {len(ended) - _MESSAGES} more: kernelset failures --crawl {crawl}"
        )
