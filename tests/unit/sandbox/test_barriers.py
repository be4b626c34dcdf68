"""What the self-test of the sandbox says of a broken one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import user
from crawler.sandbox.backends.bubblewrap import PLUGIN as BUBBLEWRAP
from crawler.sandbox.barriers import (
    IN_NAMESPACES,
    Barrier,
    SelfTest,
    check_barriers,
)
from crawler.sandbox.limits import cgroups

RunInside = Callable[[tuple[str, ...], Limits], CompletedProcess]


@pytest.fixture(autouse=True)
def _all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(user, "explain_root_identity", lambda: "")
    monkeypatch.setattr(cgroups, "find_cgroup_parent", lambda: None)


def make_completed(
    exit_code: int,
    output: str = "",
    exceeded_limit: str = "",
    *,
    timed_out: bool = False,
) -> CompletedProcess:
    return CompletedProcess(
        argv=(),
        exit_code=exit_code,
        output=output.encode(),
        errors=b"",
        timed_out=timed_out,
        exceeded_limit=exceeded_limit,
    )


def check(run_inside: RunInside, barriers: tuple[Barrier, ...] = ()) -> SelfTest:
    return check_barriers("bubblewrap", barriers or IN_NAMESPACES, run_inside)


def test_a_sandbox_that_holds_works_and_says_what_limits_it() -> None:
    self_test = check(lambda argv, limits: make_completed(0))
    assert self_test.works
    assert self_test.limits == "watchdog"


def test_the_broken_barrier_is_named() -> None:
    ended = make_completed(1, "broken: there is a network\n")
    self_test = check(lambda argv, limits: ended)
    assert not self_test.works
    assert self_test.reason == "bubblewrap cannot isolate here: there is a network"


def test_an_end_for_its_many_processes_is_the_last_barrier_at_work() -> None:
    ended = make_completed(-9, exceeded_limit="processes")
    assert check(lambda argv, limits: ended).works
    earlier = make_completed(
        -9, "broken: it runs as root\n", exceeded_limit="processes"
    )
    assert not check(lambda argv, limits: earlier).works


def test_an_end_without_words_shows_the_exit_code() -> None:
    self_test = check(lambda argv, limits: make_completed(127))
    assert self_test.reason.endswith("exit code 127")


def test_without_bubblewrap_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "deploy/bootstrap" in BUBBLEWRAP.find_missing_requirement()


def test_the_script_names_the_first_barrier_that_is_broken() -> None:
    checks = (("first", "true"), ("it's second", "false"), ("third", "false"))

    def run_here(argv: tuple[str, ...], limits: Limits) -> CompletedProcess:
        ended = subprocess.run(argv, capture_output=True, text=True, check=False)
        return make_completed(ended.returncode, ended.stdout + ended.stderr)

    assert check(run_here, checks).reason.endswith(": it's second")


def test_a_machine_that_is_too_busy_is_told_apart() -> None:
    ended = make_completed(-9, timed_out=True)
    self_test = check(lambda argv, limits: ended)
    assert not self_test.works
    assert self_test.reason.endswith("did not end within 60 s")
