"""Isolate a run by a container of its own, which crun makes."""

from __future__ import annotations

import base64
import json
import os
import platform
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from crawler.process_limits import Containment
from crawler.sandbox import user
from crawler.sandbox.backend import RunRequest
from crawler.sandbox.barriers import IN_NAMESPACES
from crawler.sandbox.bubblewrap import SandboxCommand
from crawler.sandbox.container.root_folder import (
    list_container_mounts,
    make_root_folder,
)
from crawler.sandbox.container.specification import (
    begin_in_shell,
    describe_container,
    list_device_groups,
)
from crawler.sandbox.containment import create_containment
from crawler.sandbox.initial_contents import begin_with_copies
from crawler.sandbox.open_files import open_pipe
from crawler.sandbox.process_folders import make_prefix
from crawler.sandbox.system_calls import seccomp
from crawler.sandbox.system_mounts import find_system_view

_INSIDE_RELEASE: Final = 3
"""The descriptor inside at which the program waits; the runtime numbers them from here."""
_AWAIT: Final = f"read -r go <&{_INSIDE_RELEASE}; exec {_INSIDE_RELEASE}<&-\n"
_FILTER_ANNOTATION: Final = "run.oci.seccomp_bpf_data"
"""Names the filter to crun as the kernel takes it: no list of names says which calls are newer
than itself, and looks at one argument twice."""
# crun has no use for control groups here, since those of the run are made before, and refuses
# to start where both versions of them are mounted: it sees none
_PRIVATE_MOUNTS: Final = ("unshare", "--mount", "--")
_HIDE_GROUPS: Final = (
    "[ ! -d /sys/fs/cgroup ] || mount -t tmpfs -o ro,size=4k tmpfs /sys/fs/cgroup"
    " || exit 125\n"
)
_START: Final = _HIDE_GROUPS + 'exec "$@"'
# a shell knows descriptors of one digit alone
_START_AWAITED: Final = (
    f'exec {_INSIDE_RELEASE}<"/proc/self/fd/$1" || exit 125\nshift\n{_START}'
)


class _Container:
    name = "container"
    barriers = IN_NAMESPACES
    can_move_folders = True
    needed_by_builds = ()

    def find_missing_requirement(self) -> str:
        if shutil.which("crun") is None:
            return "crun is not installed: run `deploy/bootstrap --with crun`"
        if not seccomp.build_filter():
            return f"no filter of system calls is known for {platform.machine()}"
        if user.allocate_user_id() is None:
            return "crun makes containers for root alone, with ids to give away"
        return ""

    def prepare(
        self, request: RunRequest, resources: ExitStack
    ) -> tuple[SandboxCommand, Containment]:
        user_id = user.allocate_user_id()
        assert user_id is not None
        bundle = Path(tempfile.mkdtemp(prefix=make_prefix("container")))
        resources.callback(shutil.rmtree, bundle, ignore_errors=True)
        info_read, info_write = open_pipe(resources)
        is_awaited = any(mount.writable for mount in request.mounts)
        _write_bundle(bundle, request, user_id, is_awaited, resources)

        words = [
            *("crun", "--cgroup-manager=disabled", "--root", str(bundle / "state")),
            *("run", "--bundle", str(bundle)),
            *("--pid-file", f"/dev/fd/{info_write}"),
        ]
        descriptors = [info_write]
        starter: tuple[str, ...] = (_START, "sh")
        release_descriptor = -1
        # the program waits until the writable folders are open on the host
        if is_awaited:
            release_read, release_descriptor = open_pipe(resources)
            descriptors.append(release_read)
            starter = (_START_AWAITED, "sh", str(release_read))
            words.append("--preserve-fds=1")

        command = SandboxCommand(
            argv=(
                *_PRIVATE_MOUNTS,
                "/bin/sh",
                "-c",
                *starter,
                *words,
                f"kernelset-{os.getpid()}-{user_id}",
            ),
            env={"PATH": os.environ.get("PATH", os.defpath)},
            fds=tuple(descriptors),
            limits=request.limits,
            info_descriptor=info_read,
            user_id=user_id,
            release_descriptor=release_descriptor,
        )
        return command, create_containment(
            request.limits, command, request.mounts, resources
        )


def _write_bundle(
    bundle: Path,
    request: RunRequest,
    user_id: int,
    is_awaited: bool,
    resources: ExitStack,
) -> None:
    """Write what crun makes a container of: its root, and `config.json`."""
    view = find_system_view(request.system)
    mounts = list_container_mounts(
        request.mounts, view, request.devices, request.limits, user_id, resources
    )
    make_root_folder(bundle / "root", view, mounts)
    program = begin_with_copies(request.argv, request.mounts)
    prologue = _AWAIT if is_awaited else ""
    specification = describe_container(
        (
            *("setpriv", "--pdeathsig", "KILL", "--"),
            *begin_in_shell(program, prologue),
        ),
        request.cwd,
        request.env,
        mounts,
        user_id,
        list_device_groups(request.devices),
    )
    filter_program = seccomp.build_filter(loopback=request.loopback)
    encoded_filter = base64.b64encode(filter_program).decode()
    specification["annotations"] = {_FILTER_ANNOTATION: encoded_filter}
    (bundle / "config.json").write_text(json.dumps(specification))


PLUGIN = _Container()
