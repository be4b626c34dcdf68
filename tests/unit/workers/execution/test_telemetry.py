"""A collector of OpenTelemetry hears of each task; without one nothing is imported, and no task
minds one away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storage.ledger.interface import Stage
from storage.open import Storage
from tests.servers.collector import Collector, attributes, collecting
from workers.execution import telemetry
from workers.execution.events import TaskEnded
from workers.execution.logs import get_logger
from workers.execution.task_worker import TaskWorker
from workers.tasks.payloads import ListPayload
from workers.tasks.task_specs import make_task_spec
from workers.workspace.task_workspace import Workspace


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as made:
        yield made


@pytest.fixture
def run_worker(
    storage: Storage,
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., str]]:
    """Let a worker with these variables list a folder that is not there; returns the crawl."""

    def work(*, log_ends: bool = False, **environment: str) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        listing = make_task_spec(
            Stage.LIST,
            ListPayload(locator=str(tmp_path / "absent"), targets=("sm_80",)),
            "absent",
        )
        crawl = storage.ledger.open_crawl(("absent",), (listing,))
        events: list[TaskEnded] = []

        def tell(event: TaskEnded) -> None:
            events.append(event)
            if log_ends:
                get_logger().info("task-ended")

        worker = TaskWorker(storage=storage, workspace=workspace, on_event=tell)
        assert worker.work_crawl(crawl) == 0
        telemetry.flush_telemetry()
        assert [event.code for event in events] == ["not-found"]
        return crawl

    telemetry._open_telemetry.cache_clear()
    yield work
    telemetry._open_telemetry.cache_clear()


def test_a_collector_is_told_of_each_task(
    run_worker: Callable[..., str], collector: Collector
) -> None:
    crawl_of_worker = run_worker(OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    (span,) = collector.spans
    labels = attributes(span)
    (crawl,) = (value.string_value for value in labels.pop("kernelset.crawls").values)
    assert crawl == crawl_of_worker
    assert labels == {
        "kernelset.stage": "list",
        "kernelset.task": 1,
        "kernelset.attempt": 1,
        "kernelset.subject": "absent",
        "kernelset.state": "failed",
        "kernelset.code": "not-found",
    }
    assert (span.name, span.status.message) == ("list", "not-found")
    assert span.end_time_unix_nano > span.start_time_unix_nano
    assert "kernelset" in collector.services
    (point,) = collector.numbers["kernelset.tasks"].sum.data_points
    assert (point.as_int, attributes(point)["kernelset.code"]) == (1, "not-found")
    (duration,) = collector.numbers["kernelset.task.duration"].histogram.data_points
    assert duration.count == 1


def test_a_line_of_the_log_has_the_id_of_its_trace(
    run_worker: Callable[..., str],
    collector: Collector,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_worker(log_ends=True, OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    (span,) = collector.spans
    (line,) = map(json.loads, capsys.readouterr().err.splitlines())
    assert line["trace_id"] == span.trace_id.hex()


def test_a_collector_that_is_away_is_a_line_of_the_log(
    run_worker: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    away = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
    }
    run_worker(**away, OTEL_METRICS_EXPORTER="none")
    events = [
        json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()
    ]
    assert events
    assert set(events) == {"telemetry-unheard"}


def test_an_installation_without_the_extra_says_so_and_works_on(
    run_worker: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [
        module for module in sys.modules if module.startswith("opentelemetry")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    run_worker(OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    (event,) = map(json.loads, capsys.readouterr().err.splitlines())
    assert event["event"] == "telemetry-absent"
    assert "kernelset[telemetry]" in event["message"]


def test_without_a_collector_nothing_of_it_is_imported() -> None:
    program = "import sys, workers.cluster.celery_tasks, workers.execution.telemetry as t; t.flush_telemetry(); print(t._open_telemetry(), *sys.modules)"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OTEL_")
    }
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.startswith("None ")
    assert "workers.execution.telemetry" in ended.stdout
    assert "opentelemetry" not in ended.stdout
