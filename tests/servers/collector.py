"""A receiver of OpenTelemetry's protocol over HTTP, on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)


@dataclass
class Collector:
    """What an OTLP receiver on loopback was sent."""

    address: str
    spans: list[Any] = field(default_factory=list)
    numbers: dict[str, Any] = field(default_factory=dict)
    services: set[str] = field(default_factory=set)


@contextmanager
def collecting() -> Iterator[Collector]:
    """A receiver for as long as the block runs."""

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces":
                for resource in ExportTraceServiceRequest.FromString(
                    content
                ).resource_spans:
                    made.services |= {
                        attribute.value.string_value
                        for attribute in resource.resource.attributes
                    }
                    made.spans += [
                        span for scope in resource.scope_spans for span in scope.spans
                    ]
            else:
                for resource_metrics in ExportMetricsServiceRequest.FromString(
                    content
                ).resource_metrics:
                    made.numbers |= {
                        metric.name: metric
                        for scope in resource_metrics.scope_metrics
                        for metric in scope.metrics
                    }
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        made = Collector(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield made
        server.shutdown()


def attributes(point: Any) -> dict[str, Any]:
    return {
        attribute.key: getattr(attribute.value, attribute.value.WhichOneof("value"))
        for attribute in point.attributes
    }
