"""What Makefiles would compile: asked by `make -n`, and where that does not tell, by a make with stub compilers."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.making.folders import Job, Makefiles
from crawler.builds.making.run import MOST_JOBS, Place, Told, ask, run
from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.tree import Tree
from crawler.builds.stubs import recorder
from crawler.builds.stubs.recorder import SOURCE, Phase
from crawler.builds.trees.copy import private_copy
from crawler.errors import ConfigureFailed, MissingTool, TooLarge
from crawler.sandbox import Mount

_MOST_RUN: Final = 200


class Make:
    """Asks every Makefile that has to do with device code, the outermost of each part of the tree first."""

    name = "make"
    order = 50
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether there is a Makefile that has to do with device code."""
        return bool(Makefiles(include_graph(tree)).outermost())

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return what the Makefiles would compile, with what asks for CUDA or HIP by its name switched on."""
        if shutil.which("make") is None:
            raise MissingTool("make is not installed: run `deploy/bootstrap`")
        told = Told(include_graph(tree))
        makefiles = Makefiles(told.graph)
        learn(makefiles, Place(source=Mount(source=tree.root, target=SOURCE), scratch=scratch), told)
        if makefiles.to_run(told.covered):
            try:
                source = Mount(source=private_copy(tree, scratch / "source"), target=SOURCE, writable=True)
            except TooLarge as error:
                told.logs.append(str(error))
            else:
                record(makefiles, Place(source=source, scratch=scratch), told)
        if not told.commands:
            message = "no Makefile compiles any of these files: see the log"
            raise ConfigureFailed(message, output="\n".join(told.logs))
        return Yield(commands=tuple(told.commands), log="\n".join(told.logs), generated=told.made.files)


def learn(makefiles: Makefiles, place: Place, told: Told) -> None:
    """Ask the outermost Makefiles, then those of files that have no command yet; then the same for all goals."""
    stubs = recorder.lay_out(place.scratch / "asking", Phase.BUILD)
    asked: set[Job] = set()
    for everything in (False, True):
        for nearest in (False, True):
            missing = makefiles.wanted - told.covered
            if not missing:
                return
            folders = makefiles.nearest(missing) if nearest or everything else makefiles.outermost()
            jobs = _new(makefiles, folders, asked, everything=everything)
            if jobs:
                ask(jobs[:MOST_JOBS], stubs, place, told)


def record(makefiles: Makefiles, place: Place, told: Told) -> None:
    """Run the Makefiles of files that have no command yet with stub compilers; the source of `place` is writable."""
    asked: set[Job] = set()
    for everything in (False, True):
        jobs = _new(makefiles, makefiles.to_run(told.covered), asked, everything=everything)
        if jobs:
            stubs = recorder.lay_out(place.scratch / f"running-{everything}", Phase.BUILD)
            run(jobs[:_MOST_RUN], stubs, place, told)


def _new(makefiles: Makefiles, folders: Iterable[str], asked: set[Job], *, everything: bool) -> list[Job]:
    jobs = [job for folder in folders for job in makefiles.jobs(folder, everything=everything)]
    new = [job for job in dict.fromkeys(jobs) if job not in asked]
    asked.update(new)
    return new


PLUGIN: Final[BuildSystem] = Make()
