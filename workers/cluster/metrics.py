"""Prometheus metrics of the cluster, and the health of the dispatcher, over HTTP."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from crawler.errors import CrawlError, Misconfigured

if TYPE_CHECKING:
    from storage.open import Storage
    from workers.cluster.dispatcher import Dispatcher
    from workers.config.settings import Settings

Samples = Sequence[tuple[dict[str, str], float]]
"""Labels and value of each sample of a metric."""
_STUCK_SECONDS: Final = 30.0
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
"""What Prometheus's text format escapes in the value of a label."""


def format_metrics(settings: Settings, storage: Storage) -> str:
    """Return the metrics in Prometheus's text format."""
    statistics = storage.dispatch_window.collect_statistics()
    processes = storage.worker_registry.processes_by_queue()
    blocked_tasks = storage.worker_registry.blocked_queues(
        autoscaled_patterns=settings.autoscaled
    )
    families = [
        _format_family("kernelset_tasks", "gauge", "Tasks.", statistics.tasks),
        _format_family(
            "kernelset_tasks_finished_total",
            "counter",
            "Tasks that ended, by the code of their end.",
            statistics.finished_tasks,
        ),
        _format_family(
            "kernelset_queue_oldest_seconds",
            "gauge",
            "How long the oldest ready task waits.",
            _samples_by_queue(statistics.oldest_seconds.items()),
        ),
        _format_family(
            "kernelset_queue_expected_seconds",
            "gauge",
            "How long the ready tasks would take one process.",
            _samples_by_queue(statistics.expected_seconds.items()),
        ),
        _format_family(
            "kernelset_workers",
            "gauge",
            "Processes.",
            _samples_by_queue(sorted(processes.items())),
        ),
        _format_family(
            "kernelset_blocked_tasks",
            "gauge",
            "Ready tasks that nobody serves.",
            _samples_by_queue(blocked_tasks.items()),
        ),
    ]
    return "".join(families)


def _samples_by_queue(values: Iterable[tuple[str, float]]) -> Samples:
    return [({"queue": queue}, value) for queue, value in values]


def _format_family(name: str, kind: str, description: str, samples: Samples) -> str:
    lines = [
        f"# HELP {name} {description}",
        f"# TYPE {name} {kind}",
    ]
    for labels, value in samples:
        lines.append(f"{name}{{{_format_labels(labels)}}} {value:g}")
    return "\n".join(lines) + "\n"


def _format_labels(labels: dict[str, str]) -> str:
    return ",".join(
        f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items()
    )


@contextlib.contextmanager
def serve_metrics(dispatcher: Dispatcher, host: str, port: int) -> Iterator[int]:
    """Serve `/metrics` and `/healthz` while the block runs, and give the port.

    Nothing is served where `port` is 0. Raises `Misconfigured` where nobody can listen there.
    """
    if not port:
        yield 0
        return

    with _listen(host, port, _make_handler(dispatcher)) as server:
        # a client that never ends its request must not hold up the end of the dispatcher
        server.daemon_threads = True
        poll_seconds = 0.1
        thread = threading.Thread(
            target=server.serve_forever, args=(poll_seconds,), daemon=True
        )
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def _listen(
    host: str, port: int, handler: type[BaseHTTPRequestHandler]
) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise Misconfigured(
            f"metrics cannot be served at {host}:{port}: {error.strerror}; "
            "give another --metrics-host or --metrics-port",
            code="bad-address",
        ) from None


def _make_handler(dispatcher: Dispatcher) -> type[BaseHTTPRequestHandler]:
    class MetricsHandler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer the two paths that there are."""
            path = self.path.partition("?")[0]
            if path == "/metrics":
                self._answer_metrics()
            elif path == "/healthz":
                self._answer_health()
            else:
                self._answer(404, "ask for /metrics or /healthz\n")

        def _answer_metrics(self) -> None:
            try:
                text = format_metrics(dispatcher.settings, dispatcher.storage)
                self._answer(200, text)
            except CrawlError as error:
                self._answer(503, f"{error}\n")

        def _answer_health(self) -> None:
            idle_seconds = time.monotonic() - dispatcher.last_round_at
            # a round that hangs on a server raises nothing: only its age shows it
            status = 200 if idle_seconds < _STUCK_SECONDS else 503
            self._answer(status, f"last round {idle_seconds:.1f} s ago\n")

        def _answer(self, status: int, text: str) -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Log no requests: Prometheus sends one every few seconds."""

    return MetricsHandler
