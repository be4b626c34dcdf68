"""Command `storage`: verify, garbage-collect and migrate the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workers.cli.exit_codes import DONE, FAILED
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line


def verify(
    context: typer.Context,
    sample: Annotated[
        float, typer.Option(min=0.0001, max=1.0, help="The share of all blobs to read.")
    ] = 1.0,
    as_json: JsonOption = False,
) -> int:
    """Read stored blobs back, and hold each against the digest that names it; exit code 1 where
    one has changed.
    """
    from storage.maintenance.verify_blobs import verify_blobs
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        found = verify_blobs(storage.engine, storage.blobs, sample)
    if as_json:
        print_json(
            {
                "blobs": found.blobs,
                "corrupt": [
                    {"digest": digest, "why": why} for digest, why in found.corrupt
                ],
            }
        )
    else:
        for _, why in found.corrupt:
            print_line(escape_line(why))
        print_line(f"{found.blobs} blobs read, {len(found.corrupt)} corrupt")
    return FAILED if found.corrupt else DONE


def gc(
    context: typer.Context,
    grace: Annotated[
        float,
        typer.Option(
            min=0.0, help="Hours that something must have been without a name."
        ),
    ] = 24.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would go.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove stored bytes that nothing names: what is found so is marked, and goes a grace
    period later.
    """
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        found = storage.collect_garbage(
            grace_seconds=grace * 3600,
            task_seconds=settings.task_seconds,
            dry_run=dry_run,
        )
    if as_json:
        print_json(to_builtins(found))
    else:
        gone = "would go" if dry_run else "are gone"
        print_line(
            f"{found.blobs} blobs ({found.bytes} bytes) and {found.strays} stray objects {gone}"
        )
        print_line(
            f"{found.doomed} blobs without a name stay until their grace is over, or all of their pack may go"
        )
    return DONE


def migrate(
    context: typer.Context,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Home of the embedded store; the setting `home` when left out.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Copy an embedded store, whole, into the database and the bucket of the settings, which
    hold nothing yet.
    """
    from crawler.codec import to_builtins
    from crawler.errors import Misconfigured
    from storage.maintenance.migrate_store import migrate_store
    from storage.open import open_storage
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    home = source or settings.home
    if not (settings.database and settings.blobs):
        raise Misconfigured(
            "nothing to move to: set `database` and `blobs` to the servers' addresses",
            code="no-target",
        )
    if not (home / "kernelset.db").is_file():
        raise Misconfigured(
            f"{home} holds no embedded store: name its folder by --from",
            code="no-store",
        )
    with open_configured_storage(settings) as target, open_storage(home) as embedded:
        moved = migrate_store(embedded, target)
    if as_json:
        print_json(to_builtins(moved))
    else:
        print_line(
            escape_line(
                f"{moved.blobs} blobs and {moved.rows} rows were copied; what lies in {home} stays as it was"
            )
        )
    return DONE
