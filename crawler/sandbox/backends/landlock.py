"""Isolate a run by Landlock, where neither namespaces nor containers can be made."""

from __future__ import annotations

import base64
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.errors import MissingTool
from crawler.process_limits import Containment
from crawler.sandbox import user
from crawler.sandbox.backend import RunRequest
from crawler.sandbox.barriers import ON_THE_HOST
from crawler.sandbox.bubblewrap import BASE_ENVIRONMENT, SandboxCommand
from crawler.sandbox.landlock import holder
from crawler.sandbox.landlock.containment import LandlockContainment
from crawler.sandbox.landlock.own_folders import (
    DiskWatch,
    OwnFolder,
    remove_hostile_tree,
)
from crawler.sandbox.landlock.visible_paths import (
    list_library_folders,
    list_visible_paths,
)
from crawler.sandbox.limits import cgroups
from crawler.sandbox.limits.watchdog import ProcessWatchdog
from crawler.sandbox.mounts import Mount
from crawler.sandbox.open_files import open_memory_file, open_pipe
from crawler.sandbox.process_folders import make_prefix
from crawler.sandbox.system_calls import seccomp

_TEMPORARY: Final = "/tmp"  # noqa: S108
_OWNER_ONLY: Final = 0o700
_ENTERED_BY_ALL: Final = 0o001


class _Landlock:
    name = "landlock"
    barriers = ON_THE_HOST
    can_move_folders = False
    needed_by_builds = ()

    def find_missing_requirement(self) -> str:
        if not holder.is_supported():
            return (
                "Landlock needs Linux 6.12 or newer, with `landlock` among its modules"
            )
        if not seccomp.build_filter():
            return f"no filter of system calls is known for {platform.machine()}"
        return user.explain_root_identity()

    def prepare(
        self, request: RunRequest, resources: ExitStack
    ) -> tuple[SandboxCommand, Containment]:
        _require_possible(request)
        user_id = user.allocate_user_id()
        temporary = _make_temporary_folder(user_id, resources)
        folders = _make_own_folders(request.mounts, user_id, resources)
        if user_id is not None:
            _require_reachable((*request.mounts, _show(temporary)))

        limits = request.limits
        job = _describe_job(request, temporary, user_id)
        job_file = open_memory_file(json.dumps(job).encode(), resources)
        life_read, life_write = open_pipe(resources)
        # its containment closes both ends
        done = os.pipe()
        command = SandboxCommand(
            argv=(
                sys.executable,
                "-I",
                "-S",
                holder.__file__,
                *map(str, (job_file, life_read, done[1])),
            ),
            env={},
            fds=(job_file, life_read, done[1]),
            # RLIMIT_NPROC counts all processes of a user, and so is right only for a new user
            limits=limits if user_id is not None else replace(limits, processes=0),
        )
        written = [mount.source for mount in request.mounts if mount.writable]
        return command, LandlockContainment(
            limiter=cgroups.create_cgroup(limits) or ProcessWatchdog(limits=limits),
            disk=DiskWatch(limits=limits, folders=(temporary, *written)),
            limits=limits,
            folders=folders,
            life=life_write,
            done=done,
            resources=resources,
        )


def _require_possible(request: RunRequest) -> None:
    """Raise `MissingTool` for what takes a namespace."""
    problem = ""
    if request.devices:
        problem = "it shows no GPU"
    if request.loopback:
        problem = "it has no network of its own"
    for mount in request.mounts:
        if mount.source.resolve() != Path(mount.target).resolve():
            problem = f"it shows no folder at another path, as {mount.target}"

    if problem:
        raise MissingTool(
            f"the sandbox landlock cannot isolate this run: {problem}; "
            "see docs/security.md for what takes another one",
            code="no-sandbox",
        )


def _require_reachable(mounts: Sequence[Mount]) -> None:
    """Raise `MissingTool` where another user could not come to a folder."""
    for mount in mounts:
        for parent in mount.source.resolve().parents:
            if not parent.stat().st_mode & _ENTERED_BY_ALL:
                raise MissingTool(
                    f"the sandbox landlock runs strangers' code as another user, who "
                    f"cannot enter {parent}: run as an ordinary user, or keep the home "
                    "and temporary folders where all may enter",
                    code="no-sandbox",
                )


def _show(folder: Path) -> Mount:
    return Mount(source=folder, target=str(folder))


def _make_temporary_folder(user_id: int | None, resources: ExitStack) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=make_prefix("landlock")))
    resources.callback(remove_hostile_tree, folder)
    if user_id is not None:
        os.chown(folder, user_id, user_id)
    folder.chmod(_OWNER_ONLY)

    return folder


def _make_own_folders(
    mounts: Sequence[Mount], user_id: int | None, resources: ExitStack
) -> tuple[OwnFolder, ...]:
    folders: list[OwnFolder] = []
    with ExitStack() as undo:
        for mount in mounts:
            if mount.writable:
                folder = OwnFolder(mount, user_id)
                undo.callback(folder.close, 0)
                folders.append(folder)
        undo.pop_all()

    return tuple(folders)


def _describe_job(
    request: RunRequest, temporary: Path, user_id: int | None
) -> dict[str, object]:
    own = [str(mount.source) for mount in request.mounts if mount.writable]
    readable_paths = [
        str(mount.source) for mount in request.mounts if not mount.writable
    ]
    cwd = str(temporary) if request.cwd == _TEMPORARY else request.cwd
    places = {"HOME": str(temporary), "TMPDIR": str(temporary)}
    instructions = seccomp.build_filter(shares_host=True)
    visible = list_visible_paths(request.system)
    # Python looks for a package by the names in its folder
    python_path = request.env.get("PYTHONPATH", "").split(":")

    return {
        "argv": request.argv,
        "env": {**BASE_ENVIRONMENT, **places, **request.env},
        "cwd": cwd,
        "listed": [*list_library_folders(visible), *filter(None, python_path)],
        "readable": [*visible, *readable_paths],
        "writable": [str(temporary), *own],
        "user": user_id,
        "filter": base64.b64encode(instructions).decode(),
    }


PLUGIN = _Landlock()
