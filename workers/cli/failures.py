"""kernelset failures: what went wrong, and what to do about it."""

from __future__ import annotations

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Crawl, Json, is_known, settings_of
from workers.cli.terminal import note, safe, say, say_json, verbatim


def failures(context: typer.Context, crawl: Crawl = "", as_json: Json = False) -> int:
    """Print the tasks that failed or were rejected, oldest first."""
    from crawler.codec import plain
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        found = storage.ledger.failures(crawl)
    for failure in found:
        if as_json:
            say_json(plain(failure))
        else:
            say(safe(f"{failure.state} {failure.stage} {failure.subject} [{failure.code}] after {failure.attempts}"))
            say("\n".join(f"    {line}" for line in verbatim(failure.message.strip()).split("\n")))
    if not found and not as_json:
        note("nothing failed")
    return DONE
