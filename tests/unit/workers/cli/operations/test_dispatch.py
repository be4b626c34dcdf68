"""To whom the dispatcher answers."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from workers.cli.operations.dispatch import dispatch

DEPLOY = Path(__file__).resolve().parents[5] / "deploy"


def test_metrics_are_served_to_this_machine_alone_unless_somebody_says_otherwise() -> (
    None
):
    host = inspect.signature(dispatch).parameters["metrics_host"].default
    assert host == "127.0.0.1"


@pytest.mark.parametrize(
    "name", ["compose.yaml", "helm/kernelset/templates/dispatcher.yaml"]
)
def test_a_container_is_asked_from_outside(name: str) -> None:
    (line,) = (
        line
        for line in (DEPLOY / name).read_text().splitlines()
        if "--metrics-port" in line
    )
    assert "--metrics-host" in line
    assert "0.0.0.0" in line
