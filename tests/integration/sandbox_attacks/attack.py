"""Hostile programs, run in the real sandbox, and what still runs of them."""

from __future__ import annotations

import os
from pathlib import Path

from crawler import sandbox
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.limits import cgroups

MARK = f"attacked-by-{os.getpid()}"
SMALL = Limits(
    seconds=15,
    processes=24,
    resident_bytes=256 << 20,
    scratch_bytes=16 << 20,
    inodes=3000,
    file_bytes=32 << 20,
)


def attack(
    program: str, *mounts: Mount, by: str = "python3", limits: Limits = SMALL
) -> CompletedProcess:
    """Run a hostile program, in Python or in the shell, and return what became of it."""
    return sandbox.run(
        [by, "-c", program], mounts=mounts, limits=limits, env={"MARK": MARK}
    )


def mount_folder(folder: Path, name: str, *brings: str) -> Mount:
    (folder / name).mkdir()
    return Mount(
        source=folder / name, target=f"/{name}", writable=True, copy_back=brings
    )


def alive() -> list[str]:
    """The command lines of what still runs of an attack.

    A kernel of its own shows the host no variables of what runs on it, and has our number in its
    name.
    """
    command_lines = []
    for process_folder in Path("/proc").glob("[0-9]*"):
        try:
            command_line = (process_folder / "cmdline").read_text()
            variables = (process_folder / "environ").read_bytes()
            if (
                MARK.encode() in variables
                or f"kernelset-{os.getpid()}-" in command_line
            ):
                command_lines.append(command_line)
        except OSError:
            continue
    return command_lines


def groups() -> list[Path]:
    place = cgroups.find_cgroup_parent()
    folders = set(place.folders.values()) if place else set()
    return [
        path
        for folder in folders
        for path in folder.glob(f"kernelset-*-{os.getpid()}-*")
    ]
