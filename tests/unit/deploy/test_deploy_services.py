"""systemd's units and Grafana's dashboard."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
DASHBOARD: dict[str, Any] = json.loads(
    (DEPLOY / "grafana" / "kernelset.json").read_text()
)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    program = str(Path(sys.executable).parent / "kernelset")
    names = []
    for unit in UNITS:
        name = unit.name.replace("@.", "@a.")
        (tmp_path / name).write_text(
            unit.read_text().replace("/opt/kernelset/bin/kernelset", program)
        )
        names.append(tmp_path / name)
    ended = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in ended.stderr.splitlines() if "kernelset" in line]
    assert ours == []
    assert len(names) == 2


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_takes_secrets_as_credentials_and_is_nobody(unit: Path) -> None:
    text = unit.read_text()
    assert "DynamicUser=yes" in text
    assert set(re.findall(r"LoadCredential=(\w+):", text)) == {
        "database",
        "broker",
        "s3_credentials",
    }
    assert "KERNELSET_DATABASE_FILE=%d/database" in text


def test_a_worker_may_end_its_task_before_it_is_killed() -> None:
    example = (DEPLOY / "systemd" / "environment.example").read_text()
    (task,) = re.findall(r"^KERNELSET_TASK_SECONDS=(\d+)$", example, re.MULTILINE)
    (stop,) = re.findall(
        r"^TimeoutStopSec=(\d+)$",
        (DEPLOY / "systemd/kernelset-worker@.service").read_text(),
        re.MULTILINE,
    )
    assert int(stop) > int(task)


def test_the_dashboard_is_whole() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for target in panel["targets"]:
            assert target["expr"].count("(") == target["expr"].count(")")
            assert target["datasource"]["uid"] == "${source}"
    assert DASHBOARD["templating"]["list"][0]["name"] == "source"


def metrics() -> set[str]:
    texts = " ".join(
        target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]
    )
    return set(re.findall(r"kernelset_\w+", texts))


def test_the_dashboard_asks_for_what_the_dispatcher_tells() -> None:
    published = set(
        re.findall(
            r'"(kernelset_\w+)"',
            (DEPLOY.parent / "workers" / "cluster" / "metrics.py").read_text(),
        )
    )
    assert metrics() <= published
    assert len(metrics()) > 4
