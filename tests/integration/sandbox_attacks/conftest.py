"""What holds of each attack on the real sandbox: it ends within its limits, and leaves nothing
behind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.sandbox.limits import cgroups
from tests.integration.sandbox_attacks.attack import alive, groups


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each attack no process, no group, no open file and no temporary file of it is there."""
    assert sandbox.run_self_test().works
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    before = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert alive() == []
    assert groups() == []
    assert list(place.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.fixture(params=["cgroup", "watchdog"])
def fence(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to bound a run: here, and where no control group can be made."""
    if request.param == "watchdog":
        monkeypatch.setattr(cgroups, "find_cgroup_parent", lambda: None)
    elif cgroups.find_cgroup_parent() is None:
        pytest.skip("no control group can be made here")
    return str(request.param)
