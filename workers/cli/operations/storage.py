"""Command `storage`: verify, garbage-collect and migrate the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from workers.cli.exit_codes import DONE, FAILED
from workers.cli.options import JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import escape_line, print_json, print_line

_DAY_SECONDS: Final = 86400.0


def verify(
    context: typer.Context,
    sample: Annotated[
        float, typer.Option(min=0.0001, max=1.0, help="The share of all blobs to read.")
    ] = 1.0,
    as_json: JsonOption = False,
) -> int:
    """Hold stored blobs against their digests.

    Reads them back; the exit code is 1 where one has changed.
    """
    from storage.maintenance.verify_blobs import verify_blobs
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        report = verify_blobs(storage.engine, storage.blobs, sample)

    if as_json:
        corrupt_blobs = [
            {"digest": digest, "why": problem} for digest, problem in report.corrupt
        ]
        print_json({"blobs": report.blobs, "corrupt": corrupt_blobs})
    else:
        for _, problem in report.corrupt:
            print_line(escape_line(problem))
        print_line(f"{report.blobs} blobs read, {len(report.corrupt)} corrupt")
    return FAILED if report.corrupt else DONE


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
    """Remove stored bytes that nothing names.

    What is found so is marked, and goes a grace period later.
    """
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        if not dry_run:
            subject = f"grace {grace:g} h"
            record_request(context, settings, storage, subject=subject)
        garbage = storage.collect_garbage(
            grace_seconds=grace * 3600,
            task_seconds=settings.task_seconds,
            dry_run=dry_run,
        )

    if as_json:
        print_json(to_builtins(garbage))
        return DONE

    outcome = "would go" if dry_run else "are gone"
    print_line(
        f"{garbage.blobs} blobs ({garbage.bytes} bytes) and "
        f"{garbage.strays} stray objects {outcome}"
    )
    print_line(
        f"{garbage.doomed} blobs without a name stay until their grace is over, "
        "or all of their pack may go"
    )
    return DONE


def expire(
    context: typer.Context,
    days: Annotated[
        float,
        typer.Option(
            min=1.0, max=36_500.0, help="How long ago a crawl must have ended."
        ),
    ] = 90.0,
    is_confirmed: Annotated[
        bool, typer.Option("--yes", help="Remove it; else only say what would go.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove crawls that ended long ago.

    With them go the tasks that only they have, and records of who asked for what so long ago.
    Kernels and verdicts stay. `kernelset storage gc` then takes the bytes that nothing names.
    """
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        if is_confirmed:
            subject = f"ended {days:g} days ago"
            record_request(context, settings, storage, subject=subject)
        before = storage.clock() - days * _DAY_SECONDS
        expired = storage.expire(before, dry_run=not is_confirmed)

    if as_json:
        print_json({"removed": is_confirmed, **to_builtins(expired)})
    else:
        outcome = "are gone" if is_confirmed else "would go: --yes removes them"
        print_line(
            f"{expired.crawls} crawls, {expired.tasks} tasks and "
            f"{expired.requests} records of who asked {outcome}"
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
    """Copy an embedded store, whole, into servers.

    They are the database and the bucket of the settings, which hold nothing yet.
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
    # opening a folder without a database would make an empty one there
    if not (home / "kernelset.db").is_file():
        raise Misconfigured(
            f"{home} holds no embedded store: name its folder by --from",
            code="no-store",
        )

    with open_configured_storage(settings) as target, open_storage(home) as embedded:
        migration = migrate_store(embedded, target)
        record_request(context, settings, target, subject=str(home))

    if as_json:
        print_json(to_builtins(migration))
    else:
        print_line(
            escape_line(
                f"{migration.blobs} blobs and {migration.rows} rows were copied; "
                f"what lies in {home} stays as it was"
            )
        )
    return DONE
