"""Who holds a lease, and whether that process still lives."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from storage.ledger.leases.lease_owner import (
    belongs_to_worker,
    current_process_owner,
    is_dead,
    is_worker_lost,
    process_owner,
    worker_process_owner,
)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_this_process_lives() -> None:
    assert is_dead(current_process_owner()) is False
    assert current_process_owner() == process_owner(os.getpid())


def test_a_zombie_is_dead_before_it_is_reaped(child: subprocess.Popen[bytes]) -> None:
    owner = process_owner(child.pid)
    assert is_dead(owner) is False
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_dead(owner) is True
    child.wait()
    assert is_dead(owner) is True


def test_another_process_of_the_same_pid_is_another_owner() -> None:
    host, boot, pid, start_time = current_process_owner().split("/")
    assert is_dead(f"{host}/{boot}/{pid}/{int(start_time) + 1}") is True
    assert is_dead(f"{host}/another-boot/{pid}/{start_time}") is True


@pytest.mark.parametrize("owner", ["", "me", "far/boot/1/2", "far/boot/1"])
def test_nothing_is_known_of_other_hosts(owner: str) -> None:
    assert is_dead(owner) is None


def test_an_owner_without_a_pid_is_none_of_this_host() -> None:
    host, boot, *_ = current_process_owner().split("/")
    assert is_dead(f"{host}/{boot}/many/5") is None
    assert is_dead(f"{host}/{boot}") is None


def test_a_process_of_a_worker_names_it(child: subprocess.Popen[bytes]) -> None:
    owner = worker_process_owner(child.pid)
    assert owner.startswith(f"{current_process_owner()}@{child.pid}/")
    assert belongs_to_worker(owner, child.pid)
    assert not belongs_to_worker(owner, os.getpid())
    assert not belongs_to_worker(current_process_owner(), child.pid)
    assert is_dead(owner) is False


def test_a_worker_that_died_with_its_process_is_lost(
    child: subprocess.Popen[bytes],
) -> None:
    owner = worker_process_owner(child.pid)
    assert not is_worker_lost(owner)
    child.kill()
    child.wait()
    assert is_worker_lost(owner)
    assert not is_worker_lost(current_process_owner()), "it has no worker"


def test_a_worker_of_another_host_counts_as_lost() -> None:
    assert is_worker_lost("far/boot/1/2@3/4")
