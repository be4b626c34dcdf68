"""Closing table of a crawl: what came through, and why the rest did not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from workers.cli.exit_codes import DONE, FAILED, NOTHING
from workers.cli.run_statuses import describe_run_counts
from workers.cli.strength import describe_spread
from workers.cli.terminal import (
    escape_line,
    escape_lines,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from storage.ledger.interface import Failure
    from storage.open import Storage
    from workers.local.crawl import CrawlSession
    from workers.status.crawl_summary import Funnel

_MAX_FAILURES: Final = 10
_MAX_ABSENT_NAMES: Final = 3
_MAX_NAME: Final = 60
_SUCCESSFUL_RUNS: Final = ("pass", "consistent")
_NOT_RUN: Final = "not-run"
_FAITHFUL: Final = ("identical", "equivalent")


def report_crawl(storage: Storage, session: CrawlSession, as_json: bool) -> int:
    """Print what a crawl came to, and return the exit code that says it."""
    from crawler.codec import to_builtins
    from workers.status.crawl_summary import count_funnel

    funnel = count_funnel(storage, session.crawl)
    if as_json:
        session_values = {
            "crawl": session.crawl,
            "tasks_done": session.tasks_done,
            "seconds": round(session.seconds, 1),
        }
        print_json(session_values | to_builtins(funnel))
    else:
        for line in format_table(iter_summary_rows(funnel, session)):
            print_line(line)

    _print_failures(storage, session.crawl)
    if funnel.failures:
        return FAILED
    if not funnel.kernels:
        print_note("no kernel was found")
        return NOTHING
    return DONE


def iter_summary_rows(
    funnel: Funnel, session: CrawlSession
) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each row of the closing table."""
    yield "crawl", session.crawl
    yield "repositories", str(funnel.repositories)
    yield "files with kernels", str(funnel.files)
    yield "kernels", f"{funnel.kernels} ({join_counts(funnel.by_layer) or 'none'})"
    yield "units", str(funnel.units)
    if funnel.ported:
        yield "ported to HIP", describe_unportable(funnel)

    yield from _iter_verdict_rows(funnel)
    if funnel.downloaded:
        yield "downloaded", _describe_download(funnel)

    if funnel.absent_sources:
        yield "sources not sent", _describe_absent(funnel.absent_sources)
    if funnel.absent_submodules:
        yield "submodules not here", _describe_absent(funnel.absent_submodules)

    yield "reasons", join_counts(funnel.reasons) or "none"
    yield "failures", join_counts(funnel.failures) or "none"
    if funnel.rejected:
        yield "rejected", join_counts(funnel.rejected)

    if session.tasks_done:
        yield "this run", f"{session.tasks_done} tasks in {session.seconds:.1f} s"
        yield "kernels an hour", f"{_kernels_per_hour(funnel, session):,.0f}"
    elif funnel.kernels:
        yield "this run", "nothing was redone: all of it was there"


def describe_unportable(funnel: Funnel) -> str:
    """Say how many units are ported, and which share of them has something in the way of that."""
    share = 100 * funnel.classified / max(funnel.ported, 1)
    return (
        f"{funnel.ported} ({funnel.classified} classified as unportable: {share:.1f} %)"
    )


def join_counts(counts: Mapping[str, int]) -> str:
    """Return names with their numbers, separated by commas."""
    return ", ".join(f"{name} {number}" for name, number in counts.items())


def _iter_verdict_rows(funnel: Funnel) -> Iterator[tuple[str, str]]:
    for target, statuses in funnel.compiled.items():
        pass_count = statuses.get("pass", 0)
        yield f"compiled for {target}", _describe_statuses(pass_count, statuses)

    for target, agreements in funnel.fidelity.items():
        faithful_count = sum(agreements.get(level, 0) for level in _FAITHFUL)
        yield (
            f"same code, {target}",
            _describe_statuses(faithful_count, agreements),
        )

    for device, statuses in funnel.ran.items():
        pass_count = sum(statuses.get(status, 0) for status in _SUCCESSFUL_RUNS)
        total = sum(statuses.values())
        text = f"{pass_count} of {total} ({describe_run_counts(statuses)})"
        yield f"ran on {device}", text

    for device, statuses in funnel.instantiations.items():
        yield f"instantiations, {device}", _describe_instantiations(statuses)

    for device, sources in funnel.extents.items():
        yield f"extents, {device}", join_counts(sources)

    yield from _iter_strength_rows(funnel)

    if funnel.to_run:
        yield (
            "not run yet",
            f"{funnel.to_run} batches of kernels: the same command with --device cpu runs them",
        )


def _iter_strength_rows(funnel: Funnel) -> Iterator[tuple[str, str]]:
    for device, classes in funnel.strength.items():
        spread = funnel.mutants_killed.get(device)
        text = join_counts(classes)
        if spread:
            text += f"; {describe_spread(spread)}"
        yield f"strength, {device}", text


def _describe_statuses(pass_count: int, statuses: Mapping[str, int]) -> str:
    total = sum(statuses.values())
    return f"{pass_count} of {total} ({join_counts(statuses)})"


def _describe_instantiations(statuses: Mapping[str, int]) -> str:
    """Say how many were run themselves, and how many have no verdict but that of another."""
    total = sum(statuses.values())
    run_count = total - statuses.get(_NOT_RUN, 0)
    return f"{run_count} of {total} run ({describe_run_counts(statuses)})"


def _describe_absent(names: Sequence[str]) -> str:
    """Say how many are absent, and the names of some."""
    shown = [escape_line(name[-_MAX_NAME:]) for name in names[:_MAX_ABSENT_NAMES]]
    if len(names) > len(shown):
        shown.append("…")
    return f"{len(names)} ({', '.join(shown)})"


def _describe_download(funnel: Funnel) -> str:
    downloaded = f"{funnel.downloaded / 1e6:,.1f} MB"
    if not funnel.weight:
        return downloaded
    return f"{downloaded} of the {funnel.weight / 1e6:,.1f} MB that they weigh at their host"


def _kernels_per_hour(funnel: Funnel, session: CrawlSession) -> float:
    # of a run that goes on where another ended, only its own share counts
    share = min(1.0, session.tasks_done / max(funnel.ended, 1))
    return funnel.kernels * share / max(session.seconds, 0.001) * 3600


def _print_failures(storage: Storage, crawl: str) -> None:
    failures = storage.ledger.failures(crawl)
    for failure in failures[:_MAX_FAILURES]:
        task = f"{failure.state}: {failure.stage} {failure.subject} [{failure.code}] "
        print_note(escape_line(task) + _summarise_message(failure))

    more_count = len(failures) - _MAX_FAILURES
    if more_count > 0:
        print_note(f"and {more_count} more: kernelset failures --crawl {crawl}")


def _summarise_message(failure: Failure) -> str:
    lines = escape_lines(failure.message.strip()).split("\n")
    if failure.code == "internal":
        # the message is a traceback, which names the error on its last line
        return f"{lines[-1]} (a bug: `kernelset failures` has it all)"
    return lines[0]
