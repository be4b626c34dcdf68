"""Command `purge`: remove opted-out repositories from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.optouts import OptOuts
    from storage.open import Storage
    from workers.config.settings import Settings


def purge(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would go.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove what the list of opt-outs names.

    Rows, tasks, and bytes that nothing else needs.

    The exit code is 4 where nothing in the store is on the list.
    """
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    optouts = settings.terms().optouts
    with open_configured_storage(settings) as storage:
        if dry_run:
            return _print_covered_repositories(storage, optouts, settings, as_json)
        record_request(context, settings, storage, subject=str(settings.optouts or ""))
        purged = storage.purge(optouts.covers_repository)

    if as_json:
        print_json(to_builtins(purged))
    else:
        print_line(
            f"{purged.repositories} commits, {purged.kernels} kernels, "
            f"{purged.units} units, {purged.tasks} tasks and "
            f"{purged.blobs} blobs are gone"
        )

    if purged.repositories:
        return DONE
    _print_nothing_covered(settings)
    return NOTHING


def _print_covered_repositories(
    storage: Storage, optouts: OptOuts, settings: Settings, as_json: bool
) -> int:
    from crawler.codec import to_builtins

    repositories = [
        repo for repo in storage.index.repos() if optouts.covers_repository(repo)
    ]
    for repo in repositories:
        if as_json:
            print_json(to_builtins(repo))
        else:
            # a folder has no owner
            name = f"{repo.owner}/{repo.name}".strip("/")
            print_line(f"{name} {repo.commit}")

    if not repositories:
        _print_nothing_covered(settings)
        return NOTHING

    print_note(
        f"{len(repositories)} commits would go; nothing was removed: "
        "`kernelset purge` removes them"
    )
    return DONE


def _print_nothing_covered(settings: Settings) -> None:
    """Say why there is nothing to remove, which is exit code 4."""
    if settings.optouts is None:
        print_note(
            "nothing to remove: the setting `optouts` names no file, "
            "so nobody is on a list of opt-outs"
        )
        return

    path = escape_line(str(settings.optouts))
    print_note(f"nothing to remove: nothing in the store is on the list {path}")
