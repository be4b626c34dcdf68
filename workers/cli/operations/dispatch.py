"""Command `dispatch`: feed the queues of the cluster."""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import context_settings
from workers.cli.terminal import print_note


def dispatch(
    context: typer.Context,
    metrics_port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Serve /metrics and /healthz; 0 for no."),
    ] = 0,
    metrics_host: Annotated[
        str,
        typer.Option(help="Address to serve them at; 0.0.0.0 for all of this machine."),
    ] = "127.0.0.1",
) -> int:
    """Tell workers what is due.

    Gives back what dead ones held, too. May run anywhere, and in two copies.
    """
    from workers.cluster.broker_access import require_broker_access
    from workers.cluster.celery_app import make_celery_app
    from workers.cluster.dispatcher import Dispatcher
    from workers.cluster.metrics import serve_metrics
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)

    # the default handlers would end the process in the middle of a round
    stop_event = threading.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, lambda *_: stop_event.set())

    with open_configured_storage(settings) as storage:
        app = make_celery_app(settings)
        require_broker_access(app)
        dispatcher = Dispatcher(settings, storage, app)
        with serve_metrics(dispatcher, metrics_host, metrics_port):
            print_note("dispatching")
            dispatcher.run(stop_event)
    return DONE
