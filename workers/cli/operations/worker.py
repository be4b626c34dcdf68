"""Command `worker`: serve the queues that this machine can serve."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workers.cli.options import context_settings
from workers.cli.terminal import print_note


def worker(
    context: typer.Context,
    queues: Annotated[
        str,
        typer.Option(
            help="Only these, separated by commas; patterns such as 'validate.rocm.*', too."
        ),
    ] = "",
    concurrency: Annotated[
        int, typer.Option(min=0, help="Processes; 0 for one a core, one for a GPU.")
    ] = 0,
    gpu: Annotated[
        int | None, typer.Option(min=0, help="Serve this GPU, and nothing else.")
    ] = None,
) -> int:
    """Serve the cluster's queues: look what this machine can do, and take tasks that it can do.

    SIGTERM lets running tasks end (`drain_seconds`), SIGQUIT gives them back at once; a crash
    loses nothing.
    """
    from workers.cluster import capabilities
    from workers.cluster.celery_worker import run_celery_worker

    settings = context_settings(context)
    serving = capabilities.select_queues(
        [name.strip() for name in queues.split(",") if name.strip()], gpu
    )
    processes = concurrency or (len(os.sched_getaffinity(0)) if gpu is None else 1)
    if gpu is not None:
        for name in ("ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
            os.environ[name] = str(gpu)
    print_note(f"serving {', '.join(serving)} by {processes} processes")
    return run_celery_worker(settings, serving, processes)
