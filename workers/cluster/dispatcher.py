"""The dispatcher: send a bounded number of messages to each queue, and resend lost ones."""

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
from storage.ledger.dispatch_selection import DispatchLimits
from storage.ledger.dispatch_window import DispatchMessage
from storage.ledger.interface import Lane
from workers.cluster.celery_app import TASK_NAME
from workers.cluster.stranded_crawls import restart_stranded_crawls
from workers.config.settings import Settings
from workers.execution.logs import get_logger
from workers.tasks.queues import broker_queue

if TYPE_CHECKING:
    from storage.open import Storage

_NEVER: Final = float(10**9)
_REST: Final = 0.2
_AFTER_TROUBLE: Final = 1.0
_RECLAIM_EVERY: Final = 2.0
_RENEW_EVERY: Final = 5.0


@dataclass(slots=True)
class Dispatcher:
    """Feeds the queues that somebody serves; any number may run, and one at a time chooses."""

    settings: Settings
    storage: Storage
    app: Celery
    clock: Callable[[], float] = time.monotonic
    last_round_at: float = field(default_factory=time.monotonic)
    """When a round last came to its end."""
    _reclaimed: float = 0.0
    _broker: Any = None
    _renews: float = 0.0

    def run(self, stop: threading.Event) -> None:
        """Go round until `stop` is set; a server that is away is waited for."""
        with closing(self):
            self._run(stop)

    def _run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                sent = self.run_round()
            except (Transient, OperationalError, OSError) as error:
                get_logger().warning(
                    "dispatch-waits", why=" ".join(str(error).split())[:300]
                )
                stop.wait(_AFTER_TROUBLE)
            else:
                self.last_round_at = self.clock()
                # a round costs much beside a message: while the window is mostly full, it waits
                # for many
                stop.wait(_REST / 10 if sent > self.settings.window // 2 else _REST)

    def run_round(self) -> int:
        """Give back what was lost, send what is due, and return how many messages that were."""
        lanes = self.storage.worker_registry.served_lanes()
        if self.clock() - self._reclaimed >= _RECLAIM_EVERY:
            self.storage.ledger.reclaim()
            self._reclaimed = self.clock()
        if self.clock() >= self._renews:
            self._renew(lanes)
        if not lanes:
            return 0
        share = DispatchLimits(
            messages_per_lane=self.settings.window,
            tasks_per_account=self.settings.account_limit,
            tasks_per_host=self.settings.host_limit,
        )
        with self._connected() as connection:
            held = {
                lane: _queue_length(connection.default_channel, broker_queue(lane))
                for lane in sorted(lanes)
            }
            messages = self.storage.dispatch_window.take_due_messages(
                self._lost_after(held), share
            )
            if messages:
                self._send(connection, messages)
        return len(messages)

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Give the connection to the broker, kept from round to round until it breaks."""
        if self._broker is None:
            self._broker = self.app.connection_for_write()
        broken = *self._broker.connection_errors, *self._broker.channel_errors
        try:
            yield self._broker
        except broken as error:
            self.close()
            raise OperationalError(str(error)) from error
        except OperationalError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the broker."""
        connection, self._broker = self._broker, None
        if connection is not None:
            connection.release()

    def _renew(self, lanes: Collection[Lane]) -> None:
        began = self.clock()
        for crawl in restart_stranded_crawls(self.storage, lanes):
            get_logger().info("crawl-renewed", crawl=crawl)
        # what older versions left behind may be much to look through
        self._renews = self.clock() + max(_RENEW_EVERY, 20 * (self.clock() - began))

    def _lost_after(self, held: dict[Lane, int]) -> dict[Lane, float]:
        # as long as the broker holds as many as were sent, none is lost, however long they wait
        # there
        out = self.storage.dispatch_window.count_outstanding()
        return {
            lane: self.settings.resend_seconds if number < out.get(lane, 0) else _NEVER
            for lane, number in held.items()
        }

    def _send(self, connection: Any, messages: tuple[DispatchMessage, ...]) -> None:
        with self.app.amqp.Producer(connection) as producer:
            for message in messages:
                self.app.send_task(
                    TASK_NAME,
                    args=(message.task, message.generation),
                    queue=broker_queue(message.lane),
                    producer=producer,
                    ignore_result=True,
                    retry=False,
                )


def _queue_length(channel: Any, queue: str) -> int:
    """Return how many messages the broker holds in `queue`, which is made if it is not there."""
    return int(
        channel.queue_declare(
            queue=queue, durable=True, auto_delete=False
        ).message_count
    )
