"""Scratch folders go with their owner, also one that was killed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from crawler import process
from storage.ledger.leases import lease_owner
from workers.workspace import scratch


def test_a_living_owner_keeps_its_folder(tmp_path: Path) -> None:
    folder = scratch.create_process_folder(tmp_path)
    (folder / "file").write_text("x")
    assert scratch.remove_dead_folders(tmp_path) == 0
    assert (folder / "file").exists()


def test_a_dead_owners_folder_is_swept(tmp_path: Path) -> None:
    child = process.start(["sleep", "60"], stdout=subprocess.DEVNULL)
    folder_name = scratch._folder_name(lease_owner.process_owner(child.pid))
    (tmp_path / "scratch" / folder_name / "deep").mkdir(parents=True)
    assert scratch.remove_dead_folders(tmp_path) == 0
    process.kill_group(child)
    assert scratch.remove_dead_folders(tmp_path) == 1
    assert not (tmp_path / "scratch" / folder_name).exists()


def test_what_is_not_ours_and_other_hosts_folders_stay(tmp_path: Path) -> None:
    for name in ("notes", "1-deadbeef-deadbeef"):
        (tmp_path / "scratch" / name).mkdir(parents=True)
    assert scratch.remove_dead_folders(tmp_path) == 0
