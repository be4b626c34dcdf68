"""What is printed where: `--json` on every verb, bars on a terminal, logs elsewhere, and never
a secret.
"""

from __future__ import annotations

import json
import os
import pty
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.validate.devices.offline_bundle import write_offline_bundle
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.values.blobs import Blobs
from workers.cli import main

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt

KERNEL = "__global__ void axpy(float* x) { x[threadIdx.x] = 1; }\n"
CALLS = {
    "crawl": "crawl ./project --dry-run",
    "query": "query",
    "judge": "judge answers.jsonl",
    "complete": "complete repair --dry-run",
    "show": "show axpy_kernel",
    "failures": "failures",
    "status": "status",
    "crawls": "crawls",
    "audit": "audit",
    "retry": "retry",
    "refresh": "refresh --workers 1",
    "repositories": "repositories",
    "purge": "purge",
    "export": "export kernels out.jsonl --licence any",
    "views": "views",
    "extract": "extract --input-file project/src/axpy.cu --output-dir out",
    "compile-db": "compile-db project",
    "port": "port project/src/reduce.cu",
    "validate": "validate axpy.cu --targets sm_80",
    "doctor": "doctor",
    "config show": "config show",
    "db upgrade": "db upgrade",
    "bundle write": "bundle write away axpy.cu --target sm_80",
    "bundle judge": "bundle judge bundled results",
    "storage verify": "storage verify",
    "storage gc": "storage gc --dry-run",
    "storage expire": "storage expire",
}
OF_A_CLUSTER = {
    "enqueue",
    "worker",
    "dispatch",
    "pause",
    "resume",
    "cancel",
    "storage migrate",
}
"""Need servers: `test_cluster.py` and `test_moving.py` call them."""
OF_REVIEWERS = {
    "review accept",
    "review agreement",
    "review export",
    "review import",
    "review list",
    "review needs-work",
    "review next",
    "review reject",
    "review show",
    "token add",
    "token list",
    "token revoke",
    "web",
}
"""Need people: `tests/unit/workers/cli/reviews`, `…/operations` and `test_web_browser.py` call them."""
OF_FILES = {"import tritonbench"}
"""Reads results of others: `tests/unit/workers/cli/kernels/test_import.py` calls it."""
OF_PYTORCH = {"test"}
"""Builds a project, some with PyTorch: `test_project_tests_command.py` calls it."""
SILENT = {"failures", "repositories", "bundle judge"}
"""Print nothing here, since nothing failed, no owner was listed, and nothing was carried away."""
WITHOUT_RESULT = {"retry", "repositories", "purge", "bundle write", "judge"}


def test_every_verb_is_called_here(verbs: dict[str, object]) -> None:
    assert set(verbs) == (
        set(CALLS) | OF_A_CLUSTER | OF_REVIEWERS | OF_FILES | OF_PYTORCH
    )


@pytest.mark.parametrize("verb", CALLS)
def test_json_is_an_object_a_line_and_nothing_else(
    crawled_home: tuple[Kernelset, str],
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    verb: str,
) -> None:
    (tmp_path / "axpy.cu").write_text(KERNEL)
    (tmp_path / "project").symlink_to(project)
    write_offline_bundle([], Blobs(), RunOptions(), tmp_path / "bundled")
    (tmp_path / "results").mkdir()
    (tmp_path / "answers.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    home = str(crawled_home[0].home)
    monkeypatch.setattr(
        sys, "argv", ["kernelset", "--home", home, *CALLS[verb].split(), "--json"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == (4 if verb in WITHOUT_RESULT else 0)
    lines = capfd.readouterr().out.splitlines()
    assert bool(lines) is (verb not in SILENT)
    assert all(isinstance(json.loads(line), dict) and line.isascii() for line in lines)


def on_a_terminal(kernelset: Kernelset, *words: str) -> tuple[str, str]:
    """Run with standard error on a terminal of its own, and return what it and standard output
    got.
    """
    ours, theirs = pty.openpty()
    child = kernelset.start(*words, stderr=theirs)
    os.close(theirs)
    screen = bytearray()
    try:
        while part := os.read(ours, 4096):
            screen += part
    except OSError:
        # Linux says so when the other end is closed
        pass
    os.close(ours)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0, bytes(screen)
    return screen.decode(), out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.cu").write_text(KERNEL)
    return tmp_path / "one"


def test_a_terminal_shows_bars_and_no_logs(kernelset: Kernelset, folder: Path) -> None:
    screen, out = on_a_terminal(
        kernelset, "crawl", str(folder), "--targets", "sm_80", "--workers", "1"
    )
    assert "\x1b[" in screen
    for stage in ("clone", "extract", "validate"):
        assert stage in screen
    assert "0/1" in screen
    assert '"event"' not in screen
    assert "\x1b" not in out
    assert "compiled for sm_80" in out


def test_elsewhere_there_are_logs_and_no_bars(
    kernelset: Kernelset, folder: Path
) -> None:
    result = kernelset.run(
        "crawl", folder, "--targets", "sm_80", "--workers", 1, "--json"
    )
    events = [json.loads(line) for line in result.stderr.splitlines()]
    assert {event["stage"] for event in events} == {
        "list", "clone", "build-db", "extract", "link", "port", "validate",
    }  # fmt: skip
    assert all(
        event["event"] == "task ended" and event["timestamp"].endswith("Z")
        for event in events
    )
    (closing,) = map(json.loads, result.stdout.splitlines())
    assert (closing["kernels"], closing["compiled"], closing["reasons"]) == (
        1,
        {"sm_80": {"pass": 1}},
        {},
    )
    assert closing["tasks_done"] == len(events) - 1


def test_no_secret_is_printed(
    kernelset: Kernelset, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "PIP_INDEX_URL": "https://reader:hunter2@example.org/simple",
        "AWS_SECRET_ACCESS_KEY": "hunter2",
        "KERNELSET_TOKEN": "hunter2",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    for words in (
        ["config", "show"],
        ["config", "show", "--json"],
        ["doctor", "--json"],
    ):
        ended = kernelset.run(*words)
        assert "hunter2" not in ended.stdout + ended.stderr
        assert str(kernelset.home) in ended.stdout
