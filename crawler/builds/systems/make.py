"""Ask Makefiles by `make -n`, then run make with stub compilers."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.builds.checkout.include_graph import load_include_graph
from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.checkout.tree_copies import make_private_copy
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.make.make_session import (
    MAX_CALLS,
    MakeSession,
    MakeWorkspace,
    dry_run_make,
    run_make,
)
from crawler.builds.make.makefiles import MakeCall, Makefiles
from crawler.builds.stub_toolchain import stub_compilers
from crawler.builds.stub_toolchain.stub_compilers import SOURCE_MOUNT, Phase
from crawler.errors import ConfigureFailed, MissingTool, TooLarge
from crawler.sandbox import Mount

_MOST_RUN: Final = 200


class Make:
    """Asks every Makefile that has to do with device code, the outermost of each part of the
    tree first.
    """

    name = "make"
    order = 50
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a Makefile that has to do with device code."""
        return bool(Makefiles(load_include_graph(tree)).find_outermost_folders())

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what the Makefiles would compile, with what asks for CUDA or HIP by its name
        switched on.
        """
        if shutil.which("make") is None:
            raise MissingTool("make is not installed: run `deploy/bootstrap`")
        told = MakeSession(load_include_graph(tree))
        makefiles = Makefiles(told.graph)
        learn_by_dry_run(
            makefiles,
            MakeWorkspace(
                source=Mount(source=tree.root, target=SOURCE_MOUNT), scratch=scratch
            ),
            told,
        )
        if makefiles.select_folders_to_run(told.covered_files):
            try:
                source = Mount(
                    source=make_private_copy(tree, scratch / "source"),
                    target=SOURCE_MOUNT,
                    writable=True,
                )
            except TooLarge as error:
                told.logs.append(str(error))
            else:
                learn_by_recording(
                    makefiles, MakeWorkspace(source=source, scratch=scratch), told
                )
        if not told.commands:
            message = "no Makefile compiles any of these files: see the log"
            raise ConfigureFailed(message, output="\n".join(told.logs))
        return FoundCommands(
            commands=tuple(told.commands),
            log="\n".join(told.logs),
            generated=told.build_output.files,
        )


def learn_by_dry_run(
    makefiles: Makefiles, workspace: MakeWorkspace, session: MakeSession
) -> None:
    """Ask the outermost Makefiles, then those of files that have no command yet; then the same
    for all goals.
    """
    stubs = stub_compilers.write_stub_toolchain(
        workspace.scratch / "asking", Phase.BUILD
    )
    asked: set[MakeCall] = set()
    for everything in (False, True):
        for nearest in (False, True):
            missing = makefiles.device_units - session.covered_files
            if not missing:
                return
            folders = (
                makefiles.find_nearest_folders(missing)
                if nearest or everything
                else makefiles.find_outermost_folders()
            )
            jobs = _new(makefiles, folders, asked, everything=everything)
            if jobs:
                dry_run_make(jobs[:MAX_CALLS], stubs, workspace, session)


def learn_by_recording(
    makefiles: Makefiles, workspace: MakeWorkspace, session: MakeSession
) -> None:
    """Run the Makefiles of files that have no command yet with stub compilers; the source of
    `workspace` is writable.
    """
    asked: set[MakeCall] = set()
    for everything in (False, True):
        jobs = _new(
            makefiles,
            makefiles.select_folders_to_run(session.covered_files),
            asked,
            everything=everything,
        )
        if jobs:
            stubs = stub_compilers.write_stub_toolchain(
                workspace.scratch / f"running-{everything}", Phase.BUILD
            )
            run_make(jobs[:_MOST_RUN], stubs, workspace, session)


def _new(
    makefiles: Makefiles,
    folders: Iterable[str],
    asked: set[MakeCall],
    *,
    everything: bool,
) -> list[MakeCall]:
    jobs = [
        job
        for folder in folders
        for job in makefiles.iter_calls(folder, all_goals=everything)
    ]
    new = [job for job in dict.fromkeys(jobs) if job not in asked]
    asked.update(new)
    return new


PLUGIN: Final[BuildSystem] = Make()
