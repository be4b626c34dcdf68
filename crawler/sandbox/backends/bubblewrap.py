"""Isolate a run by namespaces, which bubblewrap makes."""

from __future__ import annotations

import platform
import shutil
from contextlib import ExitStack

from crawler.process_limits import Containment
from crawler.sandbox import user
from crawler.sandbox.backend import RunRequest
from crawler.sandbox.barriers import IN_NAMESPACES
from crawler.sandbox.bubblewrap import SandboxCommand, build_bubblewrap_command
from crawler.sandbox.containment import create_containment
from crawler.sandbox.system_calls import seccomp


class _Bubblewrap:
    name = "bubblewrap"
    barriers = IN_NAMESPACES
    can_move_folders = True
    needed_by_builds = ()
    order = 10

    def find_missing_requirement(self) -> str:
        if shutil.which("bwrap") is None:
            return "bubblewrap is not installed: run `deploy/bootstrap`"
        if not seccomp.build_filter():
            return f"no filter of system calls is known for {platform.machine()}"
        return user.explain_root_identity()

    def prepare(
        self, request: RunRequest, resources: ExitStack
    ) -> tuple[SandboxCommand, Containment]:
        command = build_bubblewrap_command(
            request.argv,
            request.mounts,
            request.cwd,
            request.env,
            request.limits,
            resources,
            seccomp.build_filter(loopback=request.loopback),
            request.devices,
            request.system,
        )
        return command, create_containment(
            request.limits, command, request.mounts, resources
        )


PLUGIN = _Bubblewrap()
