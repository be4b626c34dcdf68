"""What a container sees of files: the folder that is its root, and what is mounted below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits
from crawler.sandbox.bubblewrap import READY_FOLDER
from crawler.sandbox.bubblewrap_mounts import (
    DEVICE_FOLDERS,
    ETC_FILES,
    MAX_SHARED_MEMORY_BYTES,
)
from crawler.sandbox.initial_contents import INITIAL_CONTENTS, has_content
from crawler.sandbox.mounts import Mount, ensure_readable
from crawler.sandbox.system_mounts import SystemView

ContainerMount = Mapping[str, object]
"""A mount as `config.json` of a container has it."""
_READ_ONLY: Final = ("rbind", "ro", "nosuid", "nodev")
_MEMORY: Final = ("nosuid", "nodev")
_KERNEL_FOLDERS: Final[tuple[ContainerMount, ...]] = (
    {
        "destination": "/proc",
        "type": "proc",
        "source": "proc",
        "options": ["nosuid", "noexec", "nodev"],
    },
    {
        "destination": "/dev",
        "type": "tmpfs",
        "source": "tmpfs",
        "options": ["nosuid", "noexec", "mode=755", "size=64k"],
    },
    {
        "destination": "/dev/pts",
        "type": "devpts",
        "source": "devpts",
        "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"],
    },
)


def list_container_mounts(
    mounts: Sequence[Mount],
    view: SystemView,
    devices: Sequence[Path],
    limits: Limits,
    user_id: int,
    resources: ExitStack,
) -> tuple[ContainerMount, ...]:
    """Return all mounts of a container, in the order in which they are made.

    Writable folders are memory that belongs to `user_id`; copies of files that the user could
    not read belong to `resources`.
    """
    shared_bytes = min(MAX_SHARED_MEMORY_BYTES, limits.scratch_bytes)
    return (
        *_KERNEL_FOLDERS,
        _mount_memory("/dev/shm", shared_bytes, "mode=1777"),  # noqa: S108
        _mount_memory("/tmp", limits.scratch_bytes, "mode=1777"),  # noqa: S108
        *_mount_system(view),
        *_mount_given(mounts, limits, user_id, resources),
        *_mount_devices(devices),
    )


def make_root_folder(
    root: Path, view: SystemView, mounts: Iterable[ContainerMount]
) -> None:
    """Make the folder that is the root of a container, with a place for each of its mounts.

    A runtime would make missing places itself, for its own user alone.
    """
    (root / READY_FOLDER.lstrip("/")).mkdir(parents=True)
    for path, target in view.links:
        link = root / path.relative_to("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    for mount in mounts:
        destination = str(mount["destination"])
        # what lies in one of the other mounts is made there
        if not destination.startswith("/dev/"):
            _make_place(root, destination, Path(str(mount["source"])))

    # whatever our own mask of modes is
    for place in (root, *root.rglob("*")):
        if not place.is_symlink():
            place.chmod(0o755 if place.is_dir() else 0o644)


def _make_place(root: Path, destination: str, source: Path) -> None:
    place = root / destination.lstrip("/")
    if source.is_file():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    else:
        place.mkdir(parents=True, exist_ok=True)


def _mount_system(view: SystemView) -> Iterator[ContainerMount]:
    for path in view.shown_paths:
        yield _show(path, str(path))
    for folder in map(str, view.hidden_folders):
        yield _mount_memory(folder, 4096, "mode=755", "ro")
    for path in map(Path, (*ETC_FILES, "/opt/rocm")):
        if path.exists():
            yield _show(path, str(path))


def _mount_given(
    mounts: Sequence[Mount], limits: Limits, user_id: int, resources: ExitStack
) -> Iterator[ContainerMount]:
    for number, mount in enumerate(mounts):
        target = mount.target
        if mount.writable:
            owner = (f"uid={user_id}", f"gid={user_id}")
            yield _mount_memory(target, limits.scratch_bytes, "mode=755", *owner)
            if not has_content(mount):
                continue
            # copied from there when the program begins
            target = f"{INITIAL_CONTENTS}/{number}"

        yield _show(ensure_readable(mount, resources).source, target)


def _mount_devices(devices: Sequence[Path]) -> Iterator[ContainerMount]:
    if not devices:
        return
    for device in devices:
        yield {
            "destination": str(device),
            "type": "bind",
            "source": str(device),
            "options": ["bind", "nosuid"],
        }
    for folder in map(Path, DEVICE_FOLDERS):
        if folder.exists():
            yield _show(folder, str(folder))


def _show(source: Path, target: str) -> ContainerMount:
    return {
        "destination": target,
        "type": "bind",
        "source": str(source.resolve()),
        "options": list(_READ_ONLY),
    }


def _mount_memory(target: str, size: int, *options: str) -> ContainerMount:
    return {
        "destination": target,
        "type": "tmpfs",
        "source": "tmpfs",
        "options": [*_MEMORY, f"size={size}", *options],
    }
