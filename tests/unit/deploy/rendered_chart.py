"""The chart, rendered by Helm itself for every profile."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

helm = pytest.importorskip("helm_python", reason="Helm has no wheel for this machine")
FOLDER = Path(__file__).resolve().parents[3] / "deploy" / "helm"
CHART = FOLDER / "kernelset"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
PROFILES: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in FOLDER.glob("profiles/*")
}
PROFILES["as it is"] = {}
Object = dict[str, Any]


def render(values: Mapping[str, Any]) -> list[Object]:
    with helm.Chart.load(str(CHART)) as chart:
        files = chart.render(dict(values), name="ks", namespace="kernels")
    parsed = (
        document
        for name, text in sorted(files.items())
        if name.endswith(".yaml")
        for document in yaml.safe_load_all(text)
    )
    return [document for document in parsed if document]


@cache
def objects(profile: str) -> tuple[Object, ...]:
    return tuple(render(PROFILES[profile]))


def of_kind(profile: str, kind: str) -> dict[str, Object]:
    return {
        document["metadata"]["name"]: document
        for document in objects(profile)
        if document["kind"] == kind
    }


def workers(profile: str) -> dict[str, Object]:
    named = of_kind(profile, "Deployment").values()
    return {
        label: deployment
        for deployment in named
        if (label := deployment["metadata"]["labels"].get("kernelset/queue"))
    }


def pod(deployment: Object) -> Object:
    template: Object = deployment["spec"]["template"]["spec"]
    return template
