"""Command `purge`: remove opted-out repositories from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.optouts import OptOuts
    from storage.open import Storage


def purge(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would go.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove what the list of opt-outs names: rows, tasks, and bytes that nothing else needs."""
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    optouts = settings.terms().optouts
    with open_configured_storage(settings) as storage:
        if dry_run:
            return _print_covered_repositories(storage, optouts, as_json)
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
    print_note(
        "nothing here is on the list of opt-outs: name it in the file that `optouts` names"
    )
    return NOTHING


def _print_covered_repositories(
    storage: Storage, optouts: OptOuts, as_json: bool
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
    return DONE if repositories else NOTHING
