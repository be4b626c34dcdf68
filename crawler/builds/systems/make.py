"""Ask Makefiles by `make -n`, then run make with stub compilers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.make.make_session import MakeSession, MakeWorkspace
from crawler.builds.make.makefile_runs import learn_by_dry_run, learn_by_recording
from crawler.builds.make.makefiles import Makefiles
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import SourceTree
from crawler.checkout.tree_copies import make_private_copy
from crawler.errors import ConfigureFailed, MissingTool, TooLarge
from crawler.sandbox import Mount


class Make:
    """Asks every Makefile that has to do with device code, outermost ones first."""

    name = "make"
    order = 50
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a Makefile that has to do with device code."""
        return bool(Makefiles(load_include_graph(tree)).find_outermost_folders())

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what the Makefiles would compile, with variables for CUDA or HIP switched on."""
        if shutil.which("make") is None:
            raise MissingTool("make is not installed: run `deploy/bootstrap`")

        session = MakeSession(load_include_graph(tree))
        makefiles = Makefiles(session.graph)
        checkout = MakeWorkspace(
            source=Mount(
                source=tree.root,
                target=SOURCE_MOUNT,
            ),
            scratch=scratch,
        )

        learn_by_dry_run(makefiles, checkout, session)

        if makefiles.select_folders_to_run(session.covered_files):
            _record_in_copy(tree, makefiles, scratch, session)

        log = "\n".join(session.logs)
        if not session.commands:
            raise ConfigureFailed(
                "no Makefile compiles any of these files: see the log", output=log
            )

        return FoundCommands(
            commands=tuple(session.commands),
            log=log,
            generated=session.build_output.files,
        )


def _record_in_copy(
    tree: SourceTree, makefiles: Makefiles, scratch: Path, session: MakeSession
) -> None:
    """Run make in a private copy, unless the checkout is too large for one."""
    try:
        private_copy = make_private_copy(tree, scratch / "source")
    except TooLarge as error:
        session.logs.append(str(error))
        return

    source = Mount(
        source=private_copy,
        target=SOURCE_MOUNT,
        writable=True,
    )

    workspace = MakeWorkspace(
        source=source,
        scratch=scratch,
    )

    learn_by_recording(makefiles, workspace, session)


PLUGIN: Final[BuildSystem] = Make()
