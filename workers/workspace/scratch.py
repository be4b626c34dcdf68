"""Scratch folders named after their process, removed once it is dead."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from storage.ledger import lease_owner


def create_process_folder(home: Path) -> Path:
    """Return this process's scratch folder, made if need be."""
    folder = home / "scratch" / _mark(lease_owner.current_process_owner())
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def remove_dead_folders(home: Path) -> int:
    """Remove the folders of this host's processes that are no more, and return how many there
    were.
    """
    root = home / "scratch"
    dead = (
        [folder for folder in root.iterdir() if _is_dead(folder.name)]
        if root.is_dir()
        else []
    )
    for folder in dead:
        shutil.rmtree(folder, ignore_errors=True)
    return len(dead)


def _mark(process: str) -> str:
    host, _, _ = process.partition("/")
    return f"{process.split('/')[-2]}-{_short(host)}-{_short(process)}"


def _is_dead(name: str) -> bool:
    pid, _, rest = name.partition("-")
    if not pid.isdigit():
        return False
    living = _mark(lease_owner.process_owner(int(pid)))
    return rest.partition("-")[0] == living.split("-")[1] and name != living


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
