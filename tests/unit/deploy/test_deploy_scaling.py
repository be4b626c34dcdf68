"""What KEDA asks the ledger: run on a real Postgres, it counts what each queue has to do, and
nothing that waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from sqlalchemy import Engine, text

from storage.database.postgres import create_postgres_engine
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.ledger.sql_ledger import SqlLedger
from workers.tasks.queues import queue_of

helm = pytest.importorskip("helm_python", reason="Helm has no wheel for this machine")
CHART = Path(__file__).resolve().parents[3] / "deploy" / "helm" / "kernelset"
STAGE = Stage.VALIDATE_DEVICE


@cache
def queries() -> dict[str, str]:
    gpu = {
        "vendor": "amd",
        "deviceIds": ["74a1"],
        "replicas": 1,
        "max": 2,
        "tasksPerWorker": 3,
    }
    values = {"autoscaling": {"enabled": True}, "gpus": {"gfx942": gpu}}
    with helm.Chart.load(str(CHART)) as chart:
        rendered = chart.render(values, name="ks", namespace="k")[
            "kernelset/templates/autoscaling.yaml"
        ]
    scaled = [
        document
        for document in yaml.safe_load_all(rendered)
        if document and document["kind"] == "ScaledObject"
    ]
    return {
        scaler["metadata"]["name"]: scaler["spec"]["triggers"][0]["metadata"]["query"]
        for scaler in scaled
    }


@pytest.fixture
def engine(empty_database: Callable[[], str]) -> Iterator[Engine]:
    engine = create_postgres_engine(empty_database())
    yield engine
    engine.dispose()


def task(name: str, version: str = "1", stage: Stage = STAGE) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=name,
        version=version,
        queue=queue_of(stage, "rocm:gfx942"),
        payload="",
        subject=name,
    )


def count(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {
            name: connection.scalar(text(query)) or 0
            for name, query in queries().items()
        }


def test_a_queue_is_scaled_by_what_is_due_in_it(engine: Engine) -> None:
    ledger = SqlLedger(engine)
    assert set(count(engine).values()) == {0}
    crawl = ledger.open_crawl(("x",), (task("a"), task("b")))
    mine = count(engine)
    assert mine.pop("ks-validate-rocm-gfx942") == 2
    assert set(mine.values()) == {0}
    claim = ledger.claim("me", (Stage.VALIDATE_DEVICE,), 60)
    assert claim
    assert ledger.pause(crawl)
    assert count(engine)["ks-validate-rocm-gfx942"] == 1, (
        "what is at work keeps its pod"
    )
    ledger.finish(claim, Outcome())
    assert set(count(engine).values()) == {0}, "what is paused needs none"
    assert ledger.resume(crawl)
    assert count(engine)["ks-validate-rocm-gfx942"] == 1
    again = ledger.claim("me", (Stage.VALIDATE_DEVICE,), 60)
    assert again
    ledger.fail(again, "device-busy", "later", retry_in=1000)
    assert set(count(engine).values()) == {0}, "nor what is put off"


def test_what_an_older_version_asked_for_and_too_much_of_it_starts_no_pod(
    engine: Engine,
) -> None:
    ledger = SqlLedger(engine)
    ledger.open_crawl(("x",), (task("a"),))
    ledger.open_crawl(("x",), (task("a", "2"),))
    assert count(engine)["ks-validate-rocm-gfx942"] == 1
    ledger.open_crawl(("many",), tuple(task(str(number)) for number in range(9)))
    assert count(engine)["ks-validate-rocm-gfx942"] == 6, (
        "what two pods at most are for"
    )


def test_candidates_for_a_gpu_start_a_pod_that_has_it(engine: Engine) -> None:
    judging = task("candidates", stage=Stage.JUDGE)
    SqlLedger(engine).open_crawl(("x",), (task("a"), judging))
    counts = count(engine)
    assert counts.pop("ks-validate-rocm-gfx942") == 2
    assert set(counts.values()) == {0}
