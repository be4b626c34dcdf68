"""Folders that a run in gVisor may write to: memory of the host, which is read when it is over.

What gVisor keeps in memory itself is gone with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits
from crawler.sandbox.bubblewrap import READY_FOLDER
from crawler.sandbox.container.root_folder import ContainerMount
from crawler.sandbox.initial_contents import quote
from crawler.sandbox.mounts import Mount

_TEMPORARY: Final = "/tmp"  # noqa: S108
_UNUSED_DEVICES: Final = ("/dev/fuse",)
"""Devices of gVisor's own kernel that no run has a use for."""
_READ_AND_WRITE: Final = ("rw", "nosuid", "nodev")


def show_own_folders(
    mounts: Sequence[ContainerMount], folders: Path, writable: Sequence[Mount]
) -> list[ContainerMount]:
    """Return `mounts` with folders below `folders` in place of memory of the container's own."""
    targets = {_TEMPORARY, *(mount.target for mount in writable if mount.writable)}
    return [
        _show(str(mount["destination"]), folders)
        if mount["destination"] in targets and mount["type"] == "tmpfs"
        else mount
        for mount in mounts
    ]


def hide_devices(bundle: Path) -> list[ContainerMount]:
    """Return mounts that lay a file which nobody may open over unused devices."""
    cover = bundle / "nothing"
    cover.touch(mode=0)
    return [
        {
            "destination": device,
            "type": "bind",
            "source": str(cover),
            "options": ["bind", "ro"],
        }
        for device in _UNUSED_DEVICES
    ]


def _show(target: str, folders: Path) -> Mapping[str, object]:
    return {
        "destination": target,
        "type": "bind",
        "source": f"{folders}{target}",
        "options": list(_READ_AND_WRITE),
    }


def write_mount_script(
    folders: Path, mounts: Sequence[Mount], limits: Limits, user_id: int
) -> str:
    """Return the lines of a shell that make these folders, where only its own mounts see them."""
    bounds = f"nosuid,nodev,size={limits.scratch_bytes},nr_inodes={limits.inodes}"
    owner = f"mode=755,uid={user_id},gid={user_id}"
    lines = [_mount(folders, _TEMPORARY, f"{bounds},mode=1777")]
    lines += [
        _mount(folders, mount.target, f"{bounds},{owner}")
        for mount in mounts
        if mount.writable
    ]
    ready = quote(f"{folders}{READY_FOLDER}")
    return "".join(lines) + f"mkdir -p {ready} || exit 125\n"


def _mount(folders: Path, target: str, options: str) -> str:
    place = quote(f"{folders}{target}")
    return (
        f"mkdir -p {place} && mount -t tmpfs -o {options} tmpfs {place} || exit 125\n"
    )
