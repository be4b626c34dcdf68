"""Find the hierarchies of control groups, and our own group in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NEEDED_CONTROLLERS: Final = ("memory", "pids")
_OPTIONAL_CONTROLLERS: Final = ("cpu",)
_CONTROLLERS: tuple[str, ...] = (*_NEEDED_CONTROLLERS, *_OPTIONAL_CONTROLLERS)
Hierarchy = tuple[Path, str]
"""Where a hierarchy is mounted, and the group that is mounted there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupParent:
    """Folders in which groups can be made, by controller."""

    version: int
    folders: Mapping[str, Path]


def iter_cgroup_parents(mountinfo: str, membership: str) -> Iterator[CgroupParent]:
    """Yield where groups might be made, given our `mountinfo` and `cgroup` of /proc/self."""
    own_groups = _parse_membership(membership)
    hierarchies = dict(_iter_hierarchies(mountinfo))
    folders: dict[str, Path] = {}
    for controller in _CONTROLLERS:
        if controller in hierarchies and controller in own_groups:
            hierarchy = hierarchies[controller]
            folders[controller] = _own_folder(hierarchy, own_groups[controller])

    if folders.keys() >= set(_NEEDED_CONTROLLERS):
        yield CgroupParent(version=1, folders=folders)

    # version 2 has one hierarchy for all controllers, without a name
    if "" in hierarchies and "" in own_groups:
        folder = _own_folder(hierarchies[""], own_groups[""])
        mount_point, _ = hierarchies[""]
        # a group with processes of its own cannot enable controllers for groups inside it,
        # but there may be groups beside it
        for candidate in (folder, folder.parent):
            if candidate.is_relative_to(mount_point):
                same_folders = dict.fromkeys(_CONTROLLERS, candidate)
                yield CgroupParent(version=2, folders=same_folders)


def _parse_membership(membership: str) -> dict[str, str]:
    """Return our group by controller; lines are `ID:CONTROLLER[,CONTROLLER…]:GROUP`."""
    groups: dict[str, str] = {}
    for line in membership.splitlines():
        _, controllers, group = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = group

    return groups


def _iter_hierarchies(mountinfo: str) -> Iterator[tuple[str, Hierarchy]]:
    """Yield (controller, hierarchy); the controller of version 2 is empty.

    Lines of mountinfo are `ID PARENT DEVICE ROOT MOUNT_POINT … - TYPE SOURCE OPTIONS`.
    """
    for line in mountinfo.splitlines():
        mount, _, file_system = line.partition(" - ")
        _, _, _, root, mount_point, *_ = mount.split()
        kind, _, options = file_system.split(" ", 2)
        hierarchy = (Path(mount_point), root)
        if kind == "cgroup2":
            yield "", hierarchy

        if kind == "cgroup":
            names = options.split(",")
            for controller in set(names) & set(_CONTROLLERS):
                yield controller, hierarchy


def _own_folder(hierarchy: Hierarchy, group: str) -> Path:
    """Return the folder of our own group; the mount may begin somewhere below the root group."""
    mount_point, root = hierarchy
    path = group.strip("\n")
    below = path.removeprefix(root.rstrip("/"))
    folder = mount_point / below.lstrip("/")
    return folder if folder.is_dir() else mount_point
