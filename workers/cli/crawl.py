"""kernelset crawl: the whole pipeline, here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE, FAILED, NOTHING
from workers.cli.options import Json, settings_of
from workers.cli.terminal import note, safe, say, say_json, table, verbatim

if TYPE_CHECKING:
    from crawler.sources.terms import Wanted
    from storage.open import Storage
    from workers.crawl import Session
    from workers.settings import Settings
    from workers.summary import Funnel

_MESSAGES = 10
_OWNER = "Which repositories of an owner (github:OWNER)"


def crawl(
    context: typer.Context,
    locators: Annotated[
        list[str] | None,
        typer.Argument(metavar="LOCATOR…", help="github:OWNER[/REPO], pypi:NAME[==VERSION], git+URL, a folder."),
    ] = None,
    listed: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="More locators: a file with one a line.")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Repositories of each locator at most; 0 for all.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be crawled.")] = False,
    targets: Annotated[
        str | None, typer.Option(help="What to compile for, separated by commas (default sm_80,gfx90a).")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="DEVICE", help="Run kernels, too: on `cpu`, or then on `rocm`, `cuda`, `rocm:gfx942`."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes (default one a core).")] = None,
    forks: Annotated[bool, typer.Option("--forks", help="Forks too.", rich_help_panel=_OWNER)] = False,
    no_archived: Annotated[
        bool, typer.Option("--no-archived", help="No archived ones.", rich_help_panel=_OWNER)
    ] = False,
    no_templates: Annotated[bool, typer.Option("--no-templates", help="No templates.", rich_help_panel=_OWNER)] = False,
    languages: Annotated[str, typer.Option(help="Main language, as Cuda,C++.", rich_help_panel=_OWNER)] = "",
    licences: Annotated[str, typer.Option(help="SPDX ids, as MIT,Apache-2.0.", rich_help_panel=_OWNER)] = "",
    topics: Annotated[str, typer.Option(help="At least one of these topics.", rich_help_panel=_OWNER)] = "",
    min_stars: Annotated[int, typer.Option(min=0, help="Stars at least.", rich_help_panel=_OWNER)] = 0,
    max_kilobytes: Annotated[
        int, typer.Option(min=0, help="Size at most, as the host counts it; 0 for any.", rich_help_panel=_OWNER)
    ] = 0,
    pushed_since: Annotated[str, typer.Option(help="Date, as 2026-01-31.", rich_help_panel=_OWNER)] = "",
    as_json: Json = False,
) -> int:
    """Crawl repositories: list, clone, build-db, extract, link, port, validate; with --device, run the kernels.

    Ctrl-C or a crash loses nothing: the same command goes on where it was. Asked again, an owner is listed anew, and
    only what was pushed to since is looked into.

    Examples: `kernelset crawl pypi:mmcv==2.2.0`, `kernelset crawl github:ROCm --min-stars 10 --pushed-since 2026-01-01`
    """
    from crawler.sources.terms import Wanted
    from workers import crawl as crawls
    from workers.progress import display
    from workers.wiring import storage_of

    settings = settings_of(context, targets=targets, devices=device, workers=workers)
    asked = locators_of(locators, listed)
    if not asked:
        raise typer.BadParameter("nothing to crawl: give a locator, such as github:ROCm, or a file of them by --from")
    wanted = Wanted(
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
    with storage_of(settings) as storage:
        with display() as shown:
            session = crawls.run(asked, settings, storage, shown, limit=limit, wanted=wanted)
        return report(storage, session, as_json)


def locators_of(named: list[str] | None, file: Path | None) -> list[str]:
    """Return the locators of the command line and of a file, each once; raises `Misconfigured`."""
    from crawler.errors import Misconfigured

    try:
        lines = file.read_text("utf-8").splitlines() if file else []
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"{file} cannot be read ({error}): name a file with a locator a line") from error
    stripped = (line.strip() for line in lines)
    found = [*(named or ()), *(line for line in stripped if line and not line.startswith("#"))]
    return list(dict.fromkeys(found))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _list(locators: list[str], settings: Settings, wanted: Wanted, limit: int, as_json: bool) -> int:
    """Print what would be crawled, and what not; nothing is recorded."""
    from collections import Counter
    from dataclasses import replace
    from itertools import islice

    from crawler.codec import plain
    from crawler.sources.locator import source_for

    passed_over: Counter[str] = Counter()
    unpinned = 0
    terms = replace(settings.terms(), wanted=wanted, passed_over=lambda repo, reason: passed_over.update([reason]))
    for locator in locators:
        for repo in islice(source_for(locator).list(locator, terms), limit or None):
            unpinned += not repo.commit
            if as_json:
                say_json(plain(repo))
            else:
                pinned = repo.commit or f"pushed {repo.pushed_at}"
                say(safe(f"{repo.source}  {repo.owner + '/' if repo.owner else ''}{repo.name}  {pinned}"))
    if passed_over:
        note(f"passed over: {_listed(dict(sorted(passed_over.items())))}")
    if unpinned:
        note(f"to look into {unpinned} of them costs two visits by git each, and no request of the API")
    return DONE


def report(storage: Storage, session: Session, as_json: bool) -> int:
    """Print what a crawl came to, and return the exit code that says it."""
    from crawler.codec import plain
    from workers.summary import funnel

    came_to = funnel(storage, session.crawl)
    if as_json:
        run = {"crawl": session.crawl, "tasks_done": session.done, "seconds": round(session.seconds, 1)}
        say_json(run | plain(came_to))
    else:
        for line in table(_rows(came_to, session)):
            say(line)
    _name_failures(storage, session.crawl)
    if came_to.failures:
        return FAILED
    if not came_to.kernels:
        note("no kernel was found")
        return NOTHING
    return DONE


def _rows(came_to: Funnel, session: Session) -> Iterator[tuple[str, str]]:
    yield "crawl", session.crawl
    yield "repositories", str(came_to.repositories)
    yield "files with kernels", str(came_to.files)
    yield "kernels", f"{came_to.kernels} ({_listed(came_to.by_layer) or 'none'})"
    yield "units", str(came_to.units)
    if came_to.ported:
        yield "ported to HIP", classified(came_to)
    for target, statuses in came_to.compiled.items():
        yield f"compiled for {target}", f"{statuses.get('pass', 0)} of {sum(statuses.values())} ({_listed(statuses)})"
    for device, statuses in came_to.ran.items():
        good = sum(statuses.get(status, 0) for status in ("pass", "consistent"))
        yield f"ran on {device}", f"{good} of {sum(statuses.values())} ({_listed(statuses)})"
    if came_to.to_run:
        yield "not run yet", f"{came_to.to_run} batches of kernels: the same command with --device cpu runs them"
    if came_to.downloaded:
        of = f" of the {came_to.weight / 1e6:,.1f} MB that they weigh at their host" if came_to.weight else ""
        yield "downloaded", f"{came_to.downloaded / 1e6:,.1f} MB{of}"
    yield "reasons", _listed(came_to.reasons) or "none"
    yield "failures", _listed(came_to.failures) or "none"
    if came_to.rejected:
        yield "rejected", _listed(came_to.rejected)
    if session.done:
        yield "this run", f"{session.done} tasks in {session.seconds:.1f} s"
        yield "kernels an hour", f"{_an_hour(came_to, session):,.0f}"
    elif came_to.kernels:
        yield "this run", "nothing was redone: all of it was there"


def classified(came_to: Funnel) -> str:
    """Say how many units are ported, and which share of them has something in the way of that."""
    share = 100 * came_to.classified / max(came_to.ported, 1)
    return f"{came_to.ported} ({came_to.classified} classified as unportable: {share:.1f} %)"


def _an_hour(came_to: Funnel, session: Session) -> float:
    # of a run that goes on where another ended, only its own share counts
    share = min(1.0, session.done / max(came_to.ended, 1))
    return came_to.kernels * share / max(session.seconds, 0.001) * 3600


def _listed(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _name_failures(storage: Storage, crawl: str) -> None:
    ended = storage.ledger.failures(crawl)
    for failure in ended[:_MESSAGES]:
        message = verbatim(failure.message.strip()).split("\n")[0]
        if failure.code == "internal":
            message = verbatim(failure.message.strip()).split("\n")[-1] + " (a bug: `kernelset failures` has it all)"
        note(safe(f"{failure.state}: {failure.stage} {failure.subject} [{failure.code}] ") + message)
    if len(ended) > _MESSAGES:
        note(f"and {len(ended) - _MESSAGES} more: kernelset failures --crawl {crawl}")
