"""Metrics are in Prometheus's text format, and the dispatcher's health is told over HTTP."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from crawler.errors import Misconfigured
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage
from workers.cluster.celery_app import make_celery_app
from workers.cluster.dispatcher import Dispatcher
from workers.cluster.metrics import format_metrics, serve_metrics
from workers.config.settings import Settings


@pytest.fixture
def dispatcher(storage: Storage, tmp_path: Path) -> Dispatcher:
    settings = Settings(home=tmp_path, broker=SecretStr("redis://localhost/0"))
    return Dispatcher(settings, storage, make_celery_app(settings))


@pytest.fixture
def address(dispatcher: Dispatcher) -> Iterator[str]:
    with serve_metrics(dispatcher, "127.0.0.1", _any_free_port()) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_port_that_is_taken_is_the_operators_to_change(
    dispatcher: Dispatcher,
) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(Misconfigured, match="--metrics-port") as caught,
            serve_metrics(dispatcher, "127.0.0.1", port),
        ):
            pass
    assert caught.value.code == "bad-address"
    assert str(port) in str(caught.value)


def _any_free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def get_status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_each_metric_has_help_type_and_samples(
    storage: Storage, tmp_path: Path
) -> None:
    task = TaskSpec(
        stage=Stage.CLONE, key="k", version="1", queue="clone", payload="{}", subject=""
    )
    storage.ledger.open_crawl(("x",), (task,))
    storage.worker_registry.record_heartbeat("host/1", ('a"b',), 3, {})
    lines = format_metrics(Settings(home=tmp_path), storage).split("\n")
    assert "# TYPE kernelset_workers gauge" in lines
    assert "# HELP kernelset_workers Processes." in lines
    assert 'kernelset_workers{queue="a\\"b"} 3' in lines
    assert 'kernelset_blocked_tasks{queue="clone"} 1' in lines
    assert lines[-1] == "", "Prometheus wants a newline at the end"


def test_the_two_paths_are_answered(address: str) -> None:
    assert get_status(f"{address}/metrics") == 200
    assert get_status(f"{address}/healthz?verbose") == 200
    assert get_status(f"{address}/") == 404


def test_a_dispatcher_whose_rounds_hang_is_unhealthy(
    address: str, dispatcher: Dispatcher
) -> None:
    dispatcher.last_round_at = time.monotonic() - 31
    assert get_status(f"{address}/healthz") == 503


def test_nothing_is_served_on_port_0(dispatcher: Dispatcher) -> None:
    with serve_metrics(dispatcher, "127.0.0.1", 0) as port:
        assert port == 0
