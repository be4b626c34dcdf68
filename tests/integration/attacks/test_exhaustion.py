"""Every program of the list ends within its limits and leaves no process and no file behind."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.process_limits import Limits
from crawler.sandbox.limits import cgroups
from tests.integration.attacks.backends import open_reachable_folder
from tests.integration.attacks.exhaustion import PROGRAMS
from tests.integration.sandbox_attacks.attack import MARK, alive, groups

pytestmark = pytest.mark.apt("bwrap")
LIMITS = Limits(
    seconds=2,
    processes=24,
    resident_bytes=256 << 20,
    scratch_bytes=16 << 20,
    inodes=300,
    file_bytes=4 << 20,
)
PREAMBLE = "import os, signal, time\nown = os.environ['TMPDIR']\n"


def count_open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(params=["cgroup", "watchdog"])
def fence(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "watchdog":
        monkeypatch.setattr(cgroups, "find_cgroup_parent", lambda: None)
    elif cgroups.find_cgroup_parent() is None:
        pytest.skip("no control group can be made here")
    return str(request.param)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_it_ends_and_leaves_nothing(
    name: str, backend: str, fence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_reachable_folder() as folder:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        open_before = count_open_files()
        ended = sandbox.run(
            ["python3", "-c", PREAMBLE + PROGRAMS[name]],
            limits=LIMITS,
            env={"MARK": MARK},
        )
        assert alive() == []
        assert groups() == []
        assert list(folder.iterdir()) == []
        assert count_open_files() == open_before

    if name.startswith("disk"):
        assert ended.exit_code != 0
        assert not ended.timed_out
    assert "SyntaxError" not in ended.text
    assert len(ended.output) <= 64 << 10
