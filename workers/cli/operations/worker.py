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
    """Serve the cluster's queues.

    Looks what this machine can do, and takes tasks that it can do.

    SIGTERM lets running tasks end (`drain_seconds`), SIGQUIT gives them back at once; a crash
    loses nothing.
    """
    from workers.cluster import capabilities
    from workers.cluster.celery_worker import run_celery_worker

    settings = context_settings(context)
    patterns = [name.strip() for name in queues.split(",") if name.strip()]
    queue_names = capabilities.select_queues(patterns, gpu)
    process_count = concurrency or _default_process_count(gpu)

    if gpu is not None:
        # whichever kind of GPU this machine has
        for variable in ("ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
            os.environ[variable] = str(gpu)

    print_note(f"serving {', '.join(queue_names)} by {process_count} processes")
    return run_celery_worker(settings, queue_names, process_count)


def _default_process_count(gpu: int | None) -> int:
    # kernels that share a GPU would disturb each other's timing
    if gpu is not None:
        return 1
    return len(os.sched_getaffinity(0))
