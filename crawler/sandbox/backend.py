"""What a way to isolate a run is asked for, and which one is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crawler.errors import Misconfigured
from crawler.plugins import load_plugins
from crawler.process_limits import Containment, Limits
from crawler.sandbox.barriers import Barrier
from crawler.sandbox.bubblewrap import SandboxCommand
from crawler.sandbox.mounts import Mount
from crawler.sandbox_choice import VARIABLE, read_chosen_sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A program to be isolated; the fields are those of `sandbox.run`."""

    argv: tuple[str, ...]
    mounts: tuple[Mount, ...]
    cwd: str
    env: Mapping[str, str]
    limits: Limits
    loopback: bool = False
    devices: tuple[Path, ...] = ()
    system: tuple[Path, ...] | None = None


class Backend(Protocol):
    """One way to isolate a run; a module of `backends/` has one as its `PLUGIN`."""

    name: str
    barriers: tuple[Barrier, ...]
    """What its self-test tries inside."""
    can_move_folders: bool
    """Whether a run can be shown a folder at another path than that which it has here."""
    needed_by_builds: tuple[Barrier, ...]
    """What projects' builds call besides, which not every version of it can do."""

    def find_missing_requirement(self) -> str:
        """Return what is missing for it to work here, empty where all is there."""
        ...

    def prepare(
        self, request: RunRequest, resources: ExitStack
    ) -> tuple[SandboxCommand, Containment]:
        """Return the command to start and its containment, which owns `resources` from then on.

        Raises `MissingTool` for a request that it cannot isolate.
        """
        ...


def find_backend() -> Backend:
    """Return the backend that is chosen.

    Raises `Misconfigured` for a name that none has.
    """
    name = read_chosen_sandbox()
    backends = load_plugins("crawler.sandbox.backends", Backend)
    for backend in backends:
        if backend.name == name:
            return backend

    known_names = ", ".join(backend.name for backend in backends)
    raise Misconfigured(
        f"there is no sandbox {name}: name one of {known_names} by {VARIABLE}",
        code="no-such-sandbox",
    )
