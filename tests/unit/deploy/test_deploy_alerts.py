"""Prometheus's alerts and Grafana's panels ask for what the dispatcher serves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import open_storage
from workers.cluster.metrics import format_metrics
from workers.config.settings import Settings

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((DEPLOY / "prometheus/rules.yaml").read_text())[
        "groups"
    ]
    for rule in group["rules"]
]
PANELS: list[dict[str, Any]] = json.loads(
    (DEPLOY / "grafana/kernelset.json").read_text()
)["panels"]
EXPRESSIONS = [
    *(rule["expr"] for rule in RULES),
    *(target["expr"] for panel in PANELS for target in panel["targets"]),
]
VERBS = re.compile(r"`kernelset ([a-z-]+)")


@pytest.fixture(scope="module")
def labels_by_metric(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What a dispatcher serves: each metric with the labels of its samples."""
    home = tmp_path_factory.mktemp("home")
    with open_storage(home) as storage:
        specs = tuple(
            TaskSpec(
                stage=Stage.CLONE,
                key=str(number),
                version="1",
                queue="clone",
                payload="{}",
                subject="s",
            )
            for number in range(3)
        )
        storage.ledger.open_crawl(("pypi:a",), specs)
        claim = storage.ledger.claim("nobody", (Stage.CLONE,), 60)
        assert claim
        storage.ledger.finish(claim, Outcome())
        storage.worker_registry.record_heartbeat("h:1:2:3", ("list",), 2)
        text = format_metrics(Settings(home=home), storage)
    labels: dict[str, set[str]] = {
        name: set() for name in re.findall(r"^# TYPE (\w+)", text, re.MULTILINE)
    }
    for name, label_text in re.findall(r"^(\w+)\{(.*)\}", text, re.MULTILINE):
        labels[name] |= set(re.findall(r'(\w+)="', label_text))
    return labels


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_asks_for_metrics_and_labels_that_there_are(
    expression: str, labels_by_metric: dict[str, set[str]]
) -> None:
    promql_parser.parse(expression.replace("$__rate_interval", "5m"))
    metrics = set(re.findall(r"kernelset_\w+", expression))
    assert metrics
    assert metrics <= set(labels_by_metric)
    labels = set().union(*(labels_by_metric[name] for name in metrics))
    for listed in re.findall(r"\b(?:by|on) ?\(([^)]*)\)", expression):
        assert {word.strip() for word in listed.split(",")} <= labels


def test_every_alert_says_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES) >= 4
    for rule in RULES:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["action"].endswith(".")
        assert rule["for"]


def test_alerts_name_verbs_that_there_are(verbs: dict[str, object]) -> None:
    named = {word for rule in RULES for word in VERBS.findall(str(rule["annotations"]))}
    assert named
    assert named <= {verb.split()[0] for verb in verbs}


def test_a_mistake_would_be_found() -> None:
    with pytest.raises(ValueError, match="parenthesis"):
        promql_parser.parse("sum(kernelset_tasks")
