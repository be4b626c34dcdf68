"""Command `purge`: remove opted-out repositories from the store."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import print_json, print_line, print_note


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
            covered = [
                repo
                for repo in storage.index.repos()
                if optouts.covers_repository(repo)
            ]
            for repo in covered:
                print_json(to_builtins(repo)) if as_json else print_line(
                    f"{repo.owner}/{repo.name}".strip("/") + f" {repo.commit}"
                )
            return DONE if covered else NOTHING
        purged = storage.purge(optouts.covers_repository)
    if as_json:
        print_json(to_builtins(purged))
    else:
        print_line(
            f"{purged.repositories} commits, {purged.kernels} kernels, {purged.units} units, {purged.tasks} tasks and "
            f"{purged.blobs} blobs are gone"
        )
    if not purged.repositories:
        print_note(
            "nothing here is on the list of opt-outs: name it in the file that `optouts` names"
        )
    return DONE if purged.repositories else NOTHING
