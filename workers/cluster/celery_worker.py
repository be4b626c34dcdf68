"""A cluster worker: a Celery worker with heartbeats that gives leased tasks back when it stops."""

from __future__ import annotations

import os
import platform
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from celery.signals import worker_shutting_down

from crawler.errors import CrawlError, Misconfigured
from storage.ledger import lease_owner
from storage.ledger.interface import Lane
from workers.cluster.celery_app import make_celery_app
from workers.cluster.celery_tasks import register_task
from workers.config.configured_storage import (
    open_configured_storage,
    preload_before_fork,
)
from workers.config.settings import Settings
from workers.execution.logs import get_logger
from workers.tasks.queues import broker_queue, stage_of
from workers.tasks.task_specs import stage_revision
from workers.workspace import scratch

if TYPE_CHECKING:
    from storage.open import Storage

Result = TypeVar("Result")
_BEAT_EVERY: Final = 3.0
_GIVE_BACK_WITHIN: Final = 5.0


def run_celery_worker(
    settings: Settings, queues: tuple[str, ...], processes: int
) -> int:
    """Serve `queues` until told to stop, and return an exit code.

    SIGTERM lets running tasks end for as long as they may, then gives them back; SIGQUIT gives
    them back at once.
    """
    me = lease_owner.current_process_owner()
    app = make_celery_app(settings)
    register_task(app, settings)
    revisions = {queue: stage_revision(stage_of(queue)) for queue in queues}

    def alive(storage: Storage) -> float:
        storage.worker_registry.record_heartbeat(me, queues, processes, revisions)
        return storage.clock()

    began = _tell(settings, alive)
    preload_before_fork(settings)
    ended = threading.Event()
    beating = threading.Thread(
        target=_beat, args=(settings, alive, began, ended), daemon=True
    )
    worker_shutting_down.connect(lambda **_: _drain(settings), weak=False)
    # a host may have many workers
    name = f"kernelset-{os.getpid()}@{platform.node()}"
    worker = app.Worker(
        queues=[
            broker_queue(lane)
            for queue in queues
            for lane in (Lane(queue), Lane(queue, revisions[queue]))
        ],
        concurrency=processes,
        pool="prefork",
        hostname=name,
        loglevel="WARNING",
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )
    beating.start()
    try:
        worker.start()
    finally:
        ended.set()
        beating.join()
        _leave(settings, me)
    return 0


def _beat(
    settings: Settings,
    alive: Callable[[Storage], float],
    began: float,
    ended: threading.Event,
) -> None:
    def live(storage: Storage) -> None:
        alive(storage)
        # a process of ours that died is noticed here first; its task is to blame, unless we
        # began after it did
        storage.ledger.reclaim(since=began)

    while not ended.wait(_BEAT_EVERY):
        try:
            _tell(settings, live)
            scratch.remove_dead_folders(settings.home)
        except Misconfigured as error:
            # the tables are another version's now: this one claims no more
            get_logger().error("worker-stops", code=error.code, message=str(error))
            os.kill(os.getpid(), signal.SIGTERM)
            return
        except CrawlError as error:
            get_logger().warning("worker-unheard", code=error.code, message=str(error))


def _leave(settings: Settings, me: str) -> None:
    def left(storage: Storage) -> None:
        storage.worker_registry.remove_worker(me)
        storage.ledger.reclaim(blameless=True)

    _tell_if_heard(settings, left)


def _tell_if_heard(settings: Settings, say: Callable[[Storage], object]) -> None:
    try:
        _tell(settings, say)
    except CrawlError as error:
        get_logger().warning("worker-unheard", code=error.code, message=str(error))


def _tell(settings: Settings, say: Callable[[Storage], Result]) -> Result:
    # opened anew each time: a process that Celery forks must inherit no connection
    with open_configured_storage(settings) as storage:
        return say(storage)


def _drain(settings: Settings) -> None:
    late = threading.Timer(settings.drain_seconds, _end, (settings,))
    late.daemon = True
    late.start()


def _end(settings: Settings) -> None:
    def given_back(storage: Storage) -> None:
        storage.ledger.reclaim(blameless=True, ending_worker=os.getpid())

    # while their processes live: whoever finds those dead blames the tasks; a database that
    # hangs holds up nothing
    giving = threading.Thread(
        target=_tell_if_heard, args=(settings, given_back), daemon=True
    )
    giving.start()
    giving.join(_GIVE_BACK_WITHIN)
    os.kill(os.getpid(), signal.SIGQUIT)
