"""kernelset purge: what is opted out of goes from the store."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Json, settings_of
from workers.cli.terminal import note, say, say_json


def purge(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: Json = False,
) -> int:
    """Remove what the list of opt-outs names: rows, tasks, and bytes that nothing else needs."""
    from crawler.codec import plain
    from workers.wiring import storage_of

    settings = settings_of(context)
    optouts = settings.terms().optouts
    with storage_of(settings) as storage:
        if dry_run:
            covered = [repo for repo in storage.index.repos() if optouts.covers(repo)]
            for repo in covered:
                say_json(plain(repo)) if as_json else say(f"{repo.owner}/{repo.name}".strip("/") + f" {repo.commit}")
            return DONE if covered else NOTHING
        purged = storage.purge(optouts.covers)
    if as_json:
        say_json(plain(purged))
    else:
        say(
            f"{purged.repositories} commits, {purged.kernels} kernels, {purged.units} units, {purged.tasks} tasks and "
            f"{purged.blobs} blobs are gone"
        )
    if not purged.repositories:
        note("nothing here is on the list of opt-outs: name it in the file that `optouts` names")
    return DONE if purged.repositories else NOTHING
