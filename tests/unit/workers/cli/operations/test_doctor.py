"""The operator may say what a machine need not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from workers.cli.operations.doctor import (
    Finding,
    _check_disk,
    _check_storage,
    _excuse_findings,
)
from workers.config.settings import Settings

FINDINGS = [
    Finding(name="git", state="ok", found="/usr/bin/git", needed_for="locators"),
    Finding(name="cmake", state="missing", found="", needed_for="databases"),
    Finding(name="sandbox", state="missing", found="", needed_for="builds"),
]


def test_only_what_is_missing_and_named_is_excused() -> None:
    findings = _excuse_findings(FINDINGS, ["git", "cmake"])
    states = [(finding.name, finding.state) for finding in findings]
    assert states == [("git", "ok"), ("cmake", "absent"), ("sandbox", "missing")]


def test_an_unknown_name_is_a_wrong_setting() -> None:
    with pytest.raises(Misconfigured, match="git, cmake, sandbox") as raised:
        _excuse_findings(FINDINGS, ["cmak"])
    assert raised.value.code == "bad-finding"


def test_room_is_looked_for_where_the_home_will_be(tmp_path: Path) -> None:
    finding = _check_disk(Settings(home=tmp_path / "new/home"))
    assert finding.found.endswith(f"free in {tmp_path}")


def test_a_home_that_cannot_be_made_is_missing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    finding = _check_storage(Settings(home=blocked / "home"))
    assert (finding.state, finding.remedy) == ("missing", "see the message")
