"""Prometheus metrics of the cluster, and the health of the dispatcher, over HTTP."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from crawler.errors import CrawlError

if TYPE_CHECKING:
    from storage.open import Storage
    from workers.cluster.dispatcher import Dispatcher
    from workers.config.settings import Settings

Samples = Sequence[tuple[dict[str, str], float]]
_STUCK_AFTER: Final = 30.0
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def format_metrics(settings: Settings, storage: Storage) -> str:
    """Return the metrics in Prometheus's text format."""
    facts = storage.dispatch_window.collect_statistics()
    served, blocked = (
        storage.worker_registry.processes_by_queue(),
        storage.worker_registry.blocked_queues(autoscaled_patterns=settings.autoscaled),
    )
    families: list[tuple[str, str, str, Samples]] = [
        ("kernelset_tasks", "gauge", "Tasks.", facts.tasks),
        (
            "kernelset_tasks_finished_total",
            "counter",
            "Tasks that ended, by the code of their end.",
            facts.finished_tasks,
        ),
        (
            "kernelset_queue_oldest_seconds",
            "gauge",
            "How long the oldest ready task waits.",
            [
                ({"queue": queue}, seconds)
                for queue, seconds in facts.oldest_seconds.items()
            ],
        ),
        (
            "kernelset_workers",
            "gauge",
            "Processes.",
            [({"queue": queue}, n) for queue, n in sorted(served.items())],
        ),
        (
            "kernelset_blocked_tasks",
            "gauge",
            "Ready tasks that nobody serves.",
            [({"queue": queue}, n) for queue, n in blocked.items()],
        ),
    ]
    lines: list[str] = []
    for name, kind, told, samples in families:
        lines += [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{{{_labels(labels)}}} {value:g}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _labels(labels: dict[str, str]) -> str:
    return ",".join(
        f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items()
    )


@contextlib.contextmanager
def serve_metrics(dispatcher: Dispatcher, host: str, port: int) -> Iterator[int]:
    """Serve `/metrics` and `/healthz` while the block runs, and give the port; nothing where
    `port` is 0.
    """
    if not port:
        yield 0
        return
    with ThreadingHTTPServer((host, port), _answering(dispatcher)) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def _answering(dispatcher: Dispatcher) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer the two paths that there are."""
            match self.path.partition("?")[0]:
                case "/metrics":
                    self._metrics()
                case "/healthz":
                    still = time.monotonic() - dispatcher.last_round_at
                    self._answer(
                        200 if still < _STUCK_AFTER else 503,
                        f"last round {still:.1f} s ago\n",
                    )
                case _:
                    self._answer(404, "ask for /metrics or /healthz\n")

        def _metrics(self) -> None:
            try:
                self._answer(
                    200, format_metrics(dispatcher.settings, dispatcher.storage)
                )
            except CrawlError as error:
                self._answer(503, f"{error}\n")

        def _answer(self, status: int, text: str) -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing of each question."""

    return Answering
