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
from storage.ledger.interface import Lane
from storage.ledger.leases import lease_owner
from workers.cluster.broker_access import require_broker_access
from workers.cluster.celery_app import make_celery_app
from workers.cluster.celery_tasks import register_task
from workers.config.configured_storage import (
    open_configured_storage,
    preload_before_fork,
)
from workers.config.settings import Settings
from workers.execution.logs import get_logger, name_worker_in_logs
from workers.tasks.queues import broker_queue, stage_of
from workers.tasks.task_specs import stage_revision
from workers.workspace import scratch

if TYPE_CHECKING:
    from storage.open import Storage

Result = TypeVar("Result")
_HEARTBEAT_SECONDS: Final = 3.0
_GIVE_BACK_SECONDS: Final = 5.0
"""How long a worker that stops tries to give its tasks back."""


def run_celery_worker(
    settings: Settings, queues: tuple[str, ...], processes: int
) -> int:
    """Serve `queues` until told to stop, and return an exit code.

    SIGTERM lets running tasks end for as long as they may, then gives them back; SIGQUIT gives
    them back at once.
    """
    owner = lease_owner.current_process_owner()
    # as `status` names it
    name_worker_in_logs(lease_owner.describe_owner(owner))
    app = make_celery_app(settings)
    require_broker_access(app)
    register_task(app, settings)
    revisions = {queue: stage_revision(stage_of(queue)) for queue in queues}

    def record_heartbeat(storage: Storage) -> float:
        storage.worker_registry.record_heartbeat(owner, queues, processes, revisions)
        return storage.clock()

    started_at = _with_storage(settings, record_heartbeat)
    preload_before_fork(settings)

    has_ended = threading.Event()
    heartbeats = threading.Thread(
        target=_send_heartbeats,
        args=(settings, record_heartbeat, started_at, has_ended),
        daemon=True,
    )
    worker_shutting_down.connect(lambda **_: _start_drain_timer(settings), weak=False)
    worker = app.Worker(
        queues=_list_broker_queues(queues, revisions),
        concurrency=processes,
        pool="prefork",
        # a host may have many workers
        hostname=f"kernelset-{os.getpid()}@{platform.node()}",
        loglevel="WARNING",
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )

    heartbeats.start()
    try:
        worker.start()
    finally:
        has_ended.set()
        heartbeats.join()
        _sign_off(settings, owner)
    return 0


def _list_broker_queues(
    queues: tuple[str, ...], revisions: dict[str, str]
) -> list[str]:
    names: list[str] = []
    for queue in queues:
        # tasks that any revision may do, and those that only this one may
        names.append(broker_queue(Lane(queue)))
        names.append(broker_queue(Lane(queue, revisions[queue])))
    return names


def _send_heartbeats(
    settings: Settings,
    record_heartbeat: Callable[[Storage], float],
    started_at: float,
    has_ended: threading.Event,
) -> None:
    def beat(storage: Storage) -> None:
        record_heartbeat(storage)
        # a process of ours that died is noticed here first; its task is to blame, unless we
        # began after it did
        storage.ledger.reclaim(since=started_at)

    while not has_ended.wait(_HEARTBEAT_SECONDS):
        try:
            _with_storage(settings, beat)
            scratch.remove_dead_folders(settings.home)
        except Misconfigured as error:
            # the tables are another version's now: this one claims no more
            get_logger().error("worker-stops", code=error.code, message=str(error))
            os.kill(os.getpid(), signal.SIGTERM)
            return
        except CrawlError as error:
            _log_unreachable_storage(error)


def _sign_off(settings: Settings, owner: str) -> None:
    def remove_worker(storage: Storage) -> None:
        storage.worker_registry.remove_worker(owner)
        storage.ledger.reclaim(blameless=True)

    _try_with_storage(settings, remove_worker)


def _start_drain_timer(settings: Settings) -> None:
    timer = threading.Timer(settings.drain_seconds, _give_back_and_quit, (settings,))
    timer.daemon = True
    timer.start()


def _give_back_and_quit(settings: Settings) -> None:
    def give_back_tasks(storage: Storage) -> None:
        storage.ledger.reclaim(blameless=True, ending_worker=os.getpid())

    # while their processes live: whoever finds those dead blames the tasks; a database that
    # hangs holds up nothing
    give_back = threading.Thread(
        target=_try_with_storage,
        args=(settings, give_back_tasks),
        daemon=True,
    )
    give_back.start()
    give_back.join(_GIVE_BACK_SECONDS)
    os.kill(os.getpid(), signal.SIGQUIT)


def _with_storage(settings: Settings, action: Callable[[Storage], Result]) -> Result:
    # opened anew each time: a process that Celery forks must inherit no connection
    with open_configured_storage(settings) as storage:
        return action(storage)


def _try_with_storage(settings: Settings, action: Callable[[Storage], object]) -> None:
    try:
        _with_storage(settings, action)
    except CrawlError as error:
        _log_unreachable_storage(error)


def _log_unreachable_storage(error: CrawlError) -> None:
    get_logger().warning("worker-unheard", code=error.code, message=str(error))
