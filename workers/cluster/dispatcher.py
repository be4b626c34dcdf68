"""The dispatcher: send a bounded number of messages to each queue, and resend lost ones.

It looks at once when it is told that tasks may have become due, and by itself the less often the
longer there was nothing to send.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from celery import Celery
from kombu.exceptions import OperationalError

from crawler.errors import Transient
from storage.database.notices import Notices, open_work_notices
from storage.ledger.dispatch.dispatch_selection import DispatchLimits
from storage.ledger.dispatch.dispatch_window import DispatchMessage
from storage.ledger.interface import Lane
from workers.cluster.celery_app import TASK_NAME
from workers.cluster.message_batches import send_at_once
from workers.cluster.stranded_crawls import restart_stranded_crawls
from workers.config.quota_rules import make_quota_rules
from workers.config.settings import Settings
from workers.execution.logs import get_logger
from workers.tasks.queues import broker_queue

if TYPE_CHECKING:
    from storage.open import Storage

_NEVER: Final = float(10**9)
_ROUND_PAUSE_SECONDS: Final = 0.2
_LONGEST_PAUSE_SECONDS: Final = 2.0
_PAUSE_SHARE: Final = 4
"""A pause is as long as one part in so many of the time since something was sent: what becomes due
untold, as when a limit no longer holds, then waits for little of the time that it took."""
_STOP_CHECK_SECONDS: Final = 0.5
_TROUBLE_PAUSE_SECONDS: Final = 1.0
_RECLAIM_SECONDS: Final = 2.0
_QUOTA_SECONDS: Final = 1.0
_RESTART_SECONDS: Final = 5.0
_RESTART_SHARE: Final = 20
"""Looking for stranded crawls may take one part in so many of a dispatcher's time."""
_LOGGED_ERROR_LENGTH: Final = 300


@dataclass(slots=True)
class Dispatcher:
    """Feeds the queues that somebody serves; any number may run, and one at a time chooses."""

    settings: Settings
    storage: Storage
    app: Celery
    clock: Callable[[], float] = time.monotonic
    last_round_at: float = field(default_factory=time.monotonic)
    """When a round last came to its end."""
    longest_pause: float = _LONGEST_PAUSE_SECONDS
    """Seconds after which a dispatcher looks for tasks though nobody told it of any."""
    last_sent_at: float = field(default_factory=time.monotonic)
    """When it last had anything to send."""
    _last_reclaim_at: float = 0.0
    _last_quota_check_at: float = 0.0
    _broker: Any = None
    _next_restart_at: float = 0.0

    def run(self, stop: threading.Event) -> None:
        """Go round until `stop` is set; a server that is away is waited for."""
        notices = open_work_notices(self.storage.engine)
        with closing(self), closing(notices):
            while not stop.is_set():
                try:
                    # what it tells of from here on may be too late for this round
                    notices.wait(0)
                    sent_count = self.run_round()
                    self._pause(stop, notices, sent_count)
                except (Transient, OperationalError, OSError) as error:
                    reason = " ".join(str(error).split())
                    get_logger().warning(
                        "dispatch-waits", why=reason[:_LOGGED_ERROR_LENGTH]
                    )
                    stop.wait(_TROUBLE_PAUSE_SECONDS)

    def _pause(self, stop: threading.Event, notices: Notices, sent_count: int) -> None:
        now = self.clock()
        self.last_round_at = now
        if sent_count:
            self.last_sent_at = now

        # a round costs much beside a message: while the window is mostly full, it waits
        # for many
        if sent_count > self.settings.window // 2:
            stop.wait(_ROUND_PAUSE_SECONDS / 10)
            return

        quiet_share = (now - self.last_sent_at) / _PAUSE_SHARE
        pause = min(self.longest_pause, max(_ROUND_PAUSE_SECONDS, quiet_share))
        while not stop.is_set():
            remaining = now + pause - self.clock()
            if remaining <= 0 or notices.wait(min(remaining, _STOP_CHECK_SECONDS)):
                break

        # many notices in a row are few rounds
        stop.wait(max(0.0, now + _ROUND_PAUSE_SECONDS - self.clock()))

    def run_round(self) -> int:
        """Give back what was lost, send what is due, and return how many messages that were."""
        lanes = self.storage.worker_registry.served_lanes()
        if self.clock() - self._last_reclaim_at >= _RECLAIM_SECONDS:
            self.storage.ledger.reclaim()
            self._last_reclaim_at = self.clock()
        if self.clock() - self._last_quota_check_at >= _QUOTA_SECONDS:
            self._enforce_quotas()
        if self.clock() >= self._next_restart_at:
            self._restart_crawls(lanes)
        # most lanes have nothing to do, and a look at each costs
        lanes = lanes.intersection(self.storage.stranded_tasks.ready_lanes())
        if not lanes:
            return 0

        limits = DispatchLimits(
            messages_per_lane=self.settings.window,
            tasks_per_account=self.settings.account_limit,
            tasks_per_host=self.settings.host_limit,
        )
        with self._connect() as connection:
            queue_lengths: dict[Lane, int] = {}
            for lane in sorted(lanes):
                queue_lengths[lane] = _queue_length(
                    connection.default_channel, broker_queue(lane)
                )

            resend_delays = self._resend_delays(queue_lengths)
            messages = self.storage.dispatch_window.take_due_messages(
                resend_delays, limits
            )
            if messages:
                self._send(connection, messages)

        return len(messages)

    @contextmanager
    def _connect(self) -> Iterator[Any]:
        """Give the connection to the broker, kept from round to round until it breaks."""
        if self._broker is None:
            self._broker = self.app.connection_for_write()
        # each transport has exceptions of its own, e.g. those of Redis's client
        transport_errors = (
            *self._broker.connection_errors,
            *self._broker.channel_errors,
        )

        try:
            yield self._broker
        except transport_errors as error:
            self.close()
            raise OperationalError(str(error)) from error
        except OperationalError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the broker."""
        connection = self._broker
        self._broker = None
        if connection is not None:
            connection.release()

    def _enforce_quotas(self) -> None:
        rules = make_quota_rules(self.settings)
        for crawl, reason in self.storage.quotas.enforce(rules).items():
            if reason:
                get_logger().warning("over-quota", crawl=crawl, why=reason)
            else:
                get_logger().info("quota-has-room", crawl=crawl)
        self._last_quota_check_at = self.clock()

    def _restart_crawls(self, lanes: Collection[Lane]) -> None:
        started_at = self.clock()
        for crawl in restart_stranded_crawls(self.storage, lanes):
            get_logger().info("crawl-renewed", crawl=crawl)

        # what older versions left behind may be much to look through
        now = self.clock()
        pause = max(_RESTART_SECONDS, _RESTART_SHARE * (self.clock() - started_at))
        self._next_restart_at = now + pause

    def _resend_delays(self, queue_lengths: dict[Lane, int]) -> dict[Lane, float]:
        """Return after how many seconds a message of each lane counts as lost."""
        # as long as the broker holds as many as were sent, none is lost, however long they wait
        # there
        outstanding = self.storage.dispatch_window.count_outstanding()
        delays: dict[Lane, float] = {}
        for lane, length in queue_lengths.items():
            if length < outstanding.get(lane, 0):
                delays[lane] = self.settings.resend_seconds
            else:
                delays[lane] = _NEVER
        return delays

    def _send(self, connection: Any, messages: tuple[DispatchMessage, ...]) -> None:
        with (
            self.app.amqp.Producer(connection) as producer,
            send_at_once(producer.channel),
        ):
            for message in messages:
                self.app.send_task(
                    TASK_NAME,
                    args=(message.task, message.generation),
                    queue=broker_queue(message.lane),
                    producer=producer,
                    ignore_result=True,
                    # a round that fails is tried again as a whole
                    retry=False,
                )


def _queue_length(channel: Any, queue: str) -> int:
    """Return how many messages the broker holds in `queue`, which is made if it is not there."""
    declaration = channel.queue_declare(queue=queue, durable=True, auto_delete=False)
    return int(declaration.message_count)
