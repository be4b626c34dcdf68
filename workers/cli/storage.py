"""kernelset storage: what is kept, looked after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workers.cli import DONE, FAILED
from workers.cli.options import Json, settings_of
from workers.cli.terminal import safe, say, say_json


def verify(
    context: typer.Context,
    sample: Annotated[float, typer.Option(min=0.0001, max=1.0, help="The share of all blobs to read.")] = 1.0,
    as_json: Json = False,
) -> int:
    """Read stored blobs back, and hold each against the digest that names it; exit code 1 where one has changed."""
    from storage.verify import verify
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        found = verify(storage.engine, storage.blobs, sample)
    if as_json:
        say_json({"blobs": found.blobs, "corrupt": [{"digest": digest, "why": why} for digest, why in found.corrupt]})
    else:
        for _, why in found.corrupt:
            say(safe(why))
        say(f"{found.blobs} blobs read, {len(found.corrupt)} corrupt")
    return FAILED if found.corrupt else DONE


def gc(
    context: typer.Context,
    grace: Annotated[float, typer.Option(min=0.0, help="Hours that something must have been without a name.")] = 24.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: Json = False,
) -> int:
    """Remove stored bytes that nothing names: what is found so is marked, and goes a grace period later."""
    from crawler.codec import plain
    from workers.wiring import storage_of

    settings = settings_of(context)
    with storage_of(settings) as storage:
        found = storage.collect(grace=grace * 3600, task_seconds=settings.task_seconds, dry=dry_run)
    if as_json:
        say_json(plain(found))
    else:
        gone = "would go" if dry_run else "are gone"
        say(f"{found.blobs} blobs ({found.bytes} bytes) and {found.strays} stray objects {gone}")
        say(f"{found.doomed} blobs without a name stay until their grace is over, or all of their pack may go")
    return DONE


def migrate(
    context: typer.Context,
    source: Annotated[
        Path | None, typer.Option("--from", help="Home of the embedded store; the setting `home` when left out.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Copy an embedded store, whole, into the database and the bucket of the settings, which hold nothing yet."""
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from storage.moving import move
    from storage.open import open_storage
    from workers.wiring import storage_of

    settings = settings_of(context)
    home = source or settings.home
    if not (settings.database and settings.blobs):
        raise Misconfigured(
            "nothing to move to: set `database` and `blobs` to the servers' addresses", code="no-target"
        )
    if not (home / "kernelset.db").is_file():
        raise Misconfigured(f"{home} holds no embedded store: name its folder by --from", code="no-store")
    with storage_of(settings) as target, open_storage(home) as embedded:
        moved = move(embedded, target)
    if as_json:
        say_json(plain(moved))
    else:
        say(safe(f"{moved.blobs} blobs and {moved.rows} rows were copied; what lies in {home} stays as it was"))
    return DONE
