"""Starts workers and dispatchers by forking a process that has everything imported; their
stages only pretend.

Commands on standard input: `worker`, `dispatch`; the answer is a process id. `revisions` is
answered by those of our stages, and `fill` and `free` leave no room on this host's disk, or again
all. All die when the input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable

import celery.apps.worker
import celery.concurrency.prefork
import kombu.transport.redis

import storage.blobs.s3_blobs
from crawler import process
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from storage.open import Storage
from workers.cluster.celery_app import make_celery_app
from workers.cluster.celery_worker import run_celery_worker
from workers.cluster.dispatcher import Dispatcher
from workers.config.configured_storage import (
    open_configured_storage,
    preload_before_fork,
)
from workers.config.setting_sources import load_settings
from workers.config.settings import Settings
from workers.execution import pipeline
from workers.tasks.task_specs import stage_revision
from workers.workspace.task_workspace import Workspace

assert celery.apps.worker
assert celery.concurrency.prefork
assert kombu.transport.redis
assert storage.blobs.s3_blobs, "imported once, for all workers to come"
QUEUES = ("clone", "extract")
WRITTEN_BYTES = 64 << 10


def pretend(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store a blob, let a program of our own run for a while, and ask for a task; or read what
    that one stored.
    """
    payload = json.loads(claim.payload)
    if "runs" in payload:
        process.run((sys.executable, "-c", payload["runs"]))
        return Outcome()
    if claim.stage is Stage.CLONE:
        finding = f"what {claim.key} found".encode()
        with workspace.temporary_folder() as folder:
            # as a checkout would be, on a disk that may be full
            (folder / "found").write_bytes(finding + b"\n" * WRITTEN_BYTES)
            process.run(("sleep", payload["seconds"]))
            digest = storage.blobs.put((folder / "found").read_bytes().rstrip())
        below = TaskSpec(
            stage=Stage.EXTRACT,
            key=claim.key,
            version="1",
            revision=stage_revision(Stage.EXTRACT),
            queue="extract",
            payload=json.dumps({"blob": digest}),
            subject=claim.key,
        )
        return Outcome(children=(below,), result=digest)
    content = storage.blobs.get(payload["blob"])
    return Outcome(result=content.decode())


def dispatch(settings: Settings) -> None:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with open_configured_storage(settings) as storage:
        Dispatcher(settings, storage, make_celery_app(settings)).run(stop)


def answer_here(command: str, settings: Settings) -> str:
    """Return the answer to what is asked of this process; empty for what starts another one."""
    filler = settings.home / "filler"
    match command:
        case "revisions":
            return json.dumps({stage.value: stage_revision(stage) for stage in Stage})
        case "fill":
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
        case "free":
            filler.unlink(missing_ok=True)
        case _:
            return ""
    return str(shutil.disk_usage(settings.home).free)


def main(
    run: Callable[[Claim, Storage, Workspace], Outcome] = pretend,
    queues: tuple[str, ...] = QUEUES,
    ask: Callable[[list[str], Storage], str] | None = None,
) -> None:
    setattr(pipeline, "run_stage", run)  # noqa: B010 - mypy refuses another function here
    settings, children = load_settings(), list[int]()
    preload_before_fork(settings)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if ask and line.startswith("crawl "):
            with open_configured_storage(settings) as storage:
                sys.stdout.write(f"{ask(line.split()[1:], storage)}\n")
            sys.stdout.flush()
            continue
        if answer := answer_here(line.strip(), settings):
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()
            continue
        child = os.fork()
        if not child:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            # Celery says there that it shuts down, where answers are awaited
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
            code = 1
            try:
                if line.strip() == "worker":
                    code = run_celery_worker(settings, queues, 1)
                else:
                    dispatch(settings)
                    code = 0
            finally:
                sys.stderr.flush()
                os._exit(code)
        children.append(child)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
