"""Isolate a run by a kernel of its own, which gVisor is."""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from crawler.errors import MissingTool
from crawler.process_limits import Containment
from crawler.sandbox import user
from crawler.sandbox.backend import RunRequest
from crawler.sandbox.barriers import IN_GVISOR
from crawler.sandbox.bubblewrap import SandboxCommand
from crawler.sandbox.container.root_folder import (
    ContainerMount,
    list_container_mounts,
    make_root_folder,
)
from crawler.sandbox.container.specification import (
    begin_in_shell,
    describe_container,
)
from crawler.sandbox.containment import create_containment
from crawler.sandbox.gvisor.call_filter import describe_call_filter
from crawler.sandbox.gvisor.limits import (
    begin_with_processor_time,
    choose_outer_limits,
    create_limiter,
    describe_inner_limits,
)
from crawler.sandbox.gvisor.own_folders import (
    hide_devices,
    show_own_folders,
    write_mount_script,
)
from crawler.sandbox.initial_contents import begin_with_copies
from crawler.sandbox.open_files import open_pipe
from crawler.sandbox.process_folders import make_prefix
from crawler.sandbox.system_calls import seccomp
from crawler.sandbox.system_mounts import find_system_view

# mounts that nobody else sees, and a first process with which all of gVisor's end
_OWN_NAMESPACES: Final = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--")
# what the host has at /proc says what the pid is there; gVisor starts itself again by its own
_REPORT: Final = (
    "read -r pid rest </proc/self/stat && mount -t proc proc /proc || exit 125\n"
    'echo "$pid" >"/proc/self/fd/$1"\n'
)
_START: Final = 'read -r go <"/proc/self/fd/$2"; shift 2; exec "$@"'
# without a network, and with the container's filter; groups of the run are made before
_FLAGS: Final = ("--network=none", "--oci-seccomp", "--ignore-cgroups")


class _Gvisor:
    name = "gvisor"
    barriers = IN_GVISOR
    can_move_folders = True
    # versions until some time after 2022 refuse how `ls` and `stat` of coreutils 9 ask for a
    # file, and half of all scripts fail by it
    needed_by_builds = (("this version of gVisor is too old for `ls`", "ls -d /"),)

    def find_missing_requirement(self) -> str:
        if shutil.which("runsc") is None:
            return "gVisor is not installed: run `deploy/bootstrap --with runsc`"
        if not seccomp.build_filter():
            return f"no filter of system calls is known for {platform.machine()}"
        if user.allocate_user_id() is None:
            return "gVisor is started by root alone, with ids to give away"
        return ""

    def prepare(
        self, request: RunRequest, resources: ExitStack
    ) -> tuple[SandboxCommand, Containment]:
        if request.devices:
            raise MissingTool(
                "the sandbox gvisor cannot isolate this run: it shows no GPU; "
                "see docs/security.md for what takes another one",
                code="no-sandbox",
            )
        user_id = user.allocate_user_id()
        assert user_id is not None
        bundle = Path(tempfile.mkdtemp(prefix=make_prefix("gvisor")))
        resources.callback(shutil.rmtree, bundle, ignore_errors=True)
        folders = bundle / "own"
        mounts = _list_mounts(bundle, folders, request, user_id, resources)
        _write_bundle(bundle, request, user_id, mounts)
        info_read, info_write = open_pipe(resources)
        release_read, release_write = open_pipe(resources)

        script = write_mount_script(folders, request.mounts, request.limits, user_id)
        command = SandboxCommand(
            argv=(
                *_OWN_NAMESPACES,
                *("/bin/sh", "-c", script + _REPORT + _START, "sh"),
                *(str(info_write), str(release_read)),
                *("runsc", "--root", str(bundle / "state"), *_FLAGS),
                *("run", "--bundle", str(bundle)),
                f"kernelset-{os.getpid()}-{user_id}",
            ),
            env={"PATH": os.environ.get("PATH", os.defpath)},
            fds=(info_write, release_read),
            limits=choose_outer_limits(request.limits),
            info_descriptor=info_read,
            user_id=user_id,
            release_descriptor=release_write,
            root_inside=str(folders),
        )
        return command, create_containment(
            request.limits,
            command,
            request.mounts,
            resources,
            create_limiter(request.limits, len(mounts)),
        )


def _list_mounts(
    bundle: Path,
    folders: Path,
    request: RunRequest,
    user_id: int,
    resources: ExitStack,
) -> list[ContainerMount]:
    """Return all mounts of the container, after making the folder that is its root."""
    view = find_system_view(request.system)
    mounts = list_container_mounts(
        request.mounts, view, (), request.limits, user_id, resources
    )
    make_root_folder(bundle / "root", view, mounts)

    return [
        *show_own_folders(mounts, folders, request.mounts),
        *hide_devices(bundle),
    ]


def _write_bundle(
    bundle: Path, request: RunRequest, user_id: int, mounts: Sequence[ContainerMount]
) -> None:
    """Write `config.json`, which gVisor makes a container of."""
    program = begin_with_copies(request.argv, request.mounts)
    specification = describe_container(
        begin_in_shell(begin_with_processor_time(request.limits, program)),
        request.cwd,
        request.env,
        mounts,
        user_id,
        (),
    )
    specification["process"]["rlimits"] = describe_inner_limits(request.limits)
    specification["linux"]["seccomp"] = describe_call_filter(loopback=request.loopback)
    (bundle / "config.json").write_text(json.dumps(specification))


PLUGIN = _Gvisor()
