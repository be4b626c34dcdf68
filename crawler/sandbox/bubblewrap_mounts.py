"""Words of bubblewrap's command line that make the folders a sandboxed program sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits
from crawler.sandbox.initial_contents import INITIAL_CONTENTS, has_content
from crawler.sandbox.mounts import Mount, ensure_readable
from crawler.sandbox.system_mounts import SystemView, find_system_view

ETC_FILES: Final = ("/etc/ld.so.cache", "/etc/alternatives")
DEVICE_FOLDERS: Final = (
    "/sys/class",
    "/sys/dev",
    "/sys/devices",
    "/sys/module/amdgpu",
    "/sys/bus/pci",
)
"""Where drivers of GPUs read topology, memory sizes and clocks."""
MAX_SHARED_MEMORY_BYTES: Final = 64 << 20


def system_words(limits: Limits, system: Iterable[Path] | None) -> Iterator[str]:
    """Show the system's programs and libraries, or those of `system`, and mount private
    temporary folders.
    """
    files = None if system is None else tuple(system)
    yield from _view_words(find_system_view(files))
    yield from ("--proc", "/proc", "--dev", "/dev")
    shared_memory_bytes = min(MAX_SHARED_MEMORY_BYTES, limits.scratch_bytes)
    yield from _memory_folder_words("/dev/shm", shared_memory_bytes)  # noqa: S108
    yield from _memory_folder_words("/tmp", limits.scratch_bytes)  # noqa: S108


def _view_words(view: SystemView) -> Iterator[str]:
    yield from _folder_words(view.list_parents())
    for path in view.shown_paths:
        yield from ("--ro-bind", str(path), str(path))
    for folder in map(str, view.hidden_folders):
        yield from ("--perms", "0755", "--tmpfs", folder, "--remount-ro", folder)
    for path, target in view.links:
        yield from ("--symlink", target, str(path))


def parent_folder_words(mounts: Sequence[Mount]) -> Iterator[str]:
    """Make the parents of each mount: bubblewrap would make them for its own user alone."""
    targets = [*ETC_FILES, f"{INITIAL_CONTENTS}/0"]
    targets += [mount.target for mount in mounts]
    folders: set[Path] = set()

    for target in targets:
        folders.update(Path(target).parents)

    folders.discard(Path("/"))
    yield from _folder_words(folders)


def _folder_words(folders: Iterable[Path]) -> Iterator[str]:
    for folder in sorted(folders):
        yield from ("--perms", "0755", "--dir", str(folder))


def _memory_folder_words(target: str, size: int) -> tuple[str, ...]:
    return ("--size", str(size), "--perms", "1777", "--tmpfs", target)


def mount_words(
    mounts: Sequence[Mount], limits: Limits, user_id: int | None, resources: ExitStack
) -> Iterator[str]:
    """Show `mounts`: writable ones as folders in memory, the others read-only.

    A program that runs as another user (`user_id`) needs files that everybody can read; copies
    of others belong to `resources`.
    """
    for name in (*ETC_FILES, "/opt/rocm"):
        yield from ("--ro-bind-try", name, name)

    for number, mount in enumerate(mounts):
        target = mount.target
        if mount.writable:
            yield from _memory_folder_words(mount.target, limits.scratch_bytes)
            if not has_content(mount):
                continue
            # copied from there when the program begins
            target = f"{INITIAL_CONTENTS}/{number}"

        readable_mount = mount if user_id is None else ensure_readable(mount, resources)
        yield from ("--ro-bind", str(readable_mount.source), target)


def device_words(devices: Sequence[Path]) -> Iterator[str]:
    """Show device files with what their drivers read of them; nothing of it without any."""
    driver_folders = [Path(name) for name in DEVICE_FOLDERS] if devices else []
    parents: set[Path] = set()

    for path in (*devices, *driver_folders):
        parents.update(path.parents)

    yield from _folder_words(parents - {Path("/"), Path("/dev")})

    for device in devices:
        yield from ("--dev-bind", str(device), str(device))

    for folder in driver_folders:
        yield from ("--ro-bind-try", str(folder), str(folder))
