"""Scratch folders named after their process, removed once it is dead."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from storage.ledger.leases import lease_owner


def create_process_folder(home: Path) -> Path:
    """Return this process's scratch folder, made if need be."""
    name = _folder_name(lease_owner.current_process_owner())
    folder = home / "scratch" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def remove_dead_folders(home: Path) -> int:
    """Remove the folders of this host's processes that are no more, and return how many there
    were.
    """
    root = home / "scratch"
    if not root.is_dir():
        return 0

    dead_folders = [folder for folder in root.iterdir() if _is_dead(folder.name)]
    for folder in dead_folders:
        shutil.rmtree(folder, ignore_errors=True)
    return len(dead_folders)


def _folder_name(owner: str) -> str:
    """Return `PID-HOST-OWNER`, the last two as digests: an owner has slashes."""
    host = owner.partition("/")[0]
    pid = owner.split("/")[-2]
    return f"{pid}-{_digest(host)}-{_digest(owner)}"


def _is_dead(folder_name: str) -> bool:
    pid, _, digests = folder_name.partition("-")
    if not pid.isdigit():
        return False

    # of whatever process has that number now: numbers are used again, so that only the digest
    # of the owner tells whether it is the same process
    current_name = _folder_name(lease_owner.process_owner(int(pid)))
    host_digest = digests.partition("-")[0]
    own_host_digest = current_name.split("-")[1]

    # other hosts may share the folder, and we cannot see their processes
    return host_digest == own_host_digest and folder_name != current_name


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
