"""kernelset crawl: the whole pipeline, here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE, FAILED, NOTHING
from workers.cli.options import Json, settings_of
from workers.cli.terminal import note, safe, say, say_json, table, verbatim

if TYPE_CHECKING:
    from storage.open import Storage
    from workers.crawl import Session
    from workers.settings import Settings
    from workers.summary import Funnel

_MESSAGES = 10


def crawl(
    context: typer.Context,
    locators: Annotated[
        list[str], typer.Argument(metavar="LOCATOR…", help="pypi:NAME[==VERSION], git+URL[@REF], a folder, an archive.")
    ],
    limit: Annotated[int, typer.Option(min=0, help="Repositories of each locator at most; 0 for all.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be crawled.")] = False,
    targets: Annotated[
        str | None, typer.Option(help="What to compile for, separated by commas (default sm_80,gfx90a).")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes (default one a core).")] = None,
    as_json: Json = False,
) -> int:
    """Crawl repositories: list, clone, build-db, extract, link, port, validate.

    Ctrl-C or a crash loses nothing: the same command goes on where it was.
    """
    from workers import crawl as crawls
    from workers.progress import display
    from workers.wiring import storage_of

    settings = settings_of(context, targets=targets, workers=workers)
    if dry_run:
        return _list(locators, settings, limit, as_json)
    with storage_of(settings) as storage:
        with display() as shown:
            session = crawls.run(locators, settings, storage, shown, limit=limit)
        return _report(storage, session, as_json)


def _list(locators: list[str], settings: Settings, limit: int, as_json: bool) -> int:
    from itertools import islice

    from crawler.codec import plain
    from crawler.sources.locator import source_for

    for locator in locators:
        for repo in islice(source_for(locator).list(locator, settings.limits()), limit or None):
            if as_json:
                say_json(plain(repo))
            else:
                say(safe(f"{repo.source}  {repo.owner + '/' if repo.owner else ''}{repo.name}  {repo.commit}"))
    return DONE


def _report(storage: Storage, session: Session, as_json: bool) -> int:
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
    for target, statuses in came_to.compiled.items():
        yield f"compiled for {target}", f"{statuses.get('pass', 0)} of {sum(statuses.values())} ({_listed(statuses)})"
    yield "reasons", _listed(came_to.reasons) or "none"
    yield "failures", _listed(came_to.failures) or "none"
    if came_to.rejected:
        yield "rejected", _listed(came_to.rejected)
    if session.done:
        yield "this run", f"{session.done} tasks in {session.seconds:.1f} s"
        yield "kernels an hour", f"{_an_hour(came_to, session):,.0f}"
    elif came_to.kernels:
        yield "this run", "nothing was redone: all of it was there"


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
