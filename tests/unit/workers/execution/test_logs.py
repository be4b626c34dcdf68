"""What lines of a log say of who wrote them."""

from __future__ import annotations

import json

import pytest

from workers.execution import logs


def test_a_line_says_which_worker_wrote_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_PROCESS_FIELDS", {})
    logs.get_logger().info("before")
    logs.name_worker_in_logs("gpu-1 pid 42")
    logs.get_logger().info("after", task=3)
    before, after = map(json.loads, capsys.readouterr().err.splitlines())
    assert "worker" not in before
    assert (after["worker"], after["task"]) == ("gpu-1 pid 42", 3)
    assert "trace_id" not in after, "nothing is traced"
