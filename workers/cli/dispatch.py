"""kernelset dispatch: feeds the queues of the cluster."""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from workers.cli import DONE
from workers.cli.options import settings_of
from workers.cli.terminal import note


def dispatch(
    context: typer.Context,
    metrics_port: Annotated[int, typer.Option(min=0, max=65535, help="Serve /metrics and /healthz; 0 for no.")] = 0,
    metrics_host: Annotated[str, typer.Option(help="Address to serve them at.")] = "0.0.0.0",  # noqa: S104
) -> int:
    """Tell workers what is due, and give back what dead ones held; may run anywhere, and in two copies."""
    from workers.app import make_app
    from workers.dispatch import Dispatcher
    from workers.metrics import serving
    from workers.wiring import storage_of

    settings, stop = settings_of(context), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with storage_of(settings) as storage:
        dispatcher = Dispatcher(settings, storage, make_app(settings))
        with serving(dispatcher, metrics_host, metrics_port):
            note("dispatching")
            dispatcher.run(stop)
    return DONE
