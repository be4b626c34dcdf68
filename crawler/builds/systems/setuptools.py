"""Run `setup.py` in the sandbox with stand-ins, and record the declared extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.setup_py.declaring_setups import find_setups
from crawler.builds.setup_py.environment_switches import find_device_switches
from crawler.builds.setup_py.recorded_build import (
    find_shelling_setups,
    record_setup_builds,
)
from crawler.builds.setup_py.setup_session import SetupSession
from crawler.checkout.source_tree import SourceTree, is_vendored

_MAX_MODULES: Final = 24
# A module that calls `torch.utils.cpp_extension.load(…)`.
_RUN_TIME_COMPILATION: Final = re.compile(rb"\bcpp_extension\b(?s:.*)\bload\s*\(")


class Setuptools:
    """Runs every `setup.py` that declares extensions with stand-ins for torch and setuptools."""

    name = "setuptools"
    order = 30
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a `setup.py` declares extensions, or a module has torch compile some."""
        return bool(
            find_setups(tree) or _find_modules(tree) or find_shelling_setups(tree)
        )

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return a command for every source of every extension that is declared."""
        session = SetupSession(tree, scratch)
        for setup in find_setups(tree):
            session.run_setup(setup)

        if session.list_uncovered_files():
            modules = _find_modules(tree)
            if modules:
                session.run_modules(modules)

        # The slowest way, and only for a project that declared no device source at all.
        if session.list_uncovered_files() and not session.has_device_commands():
            _record_shelling_setups(tree, scratch, session)

        if not session.commands and not session.build_output.files:
            raise session.make_error()

        commands = [
            command
            for file_commands in session.commands.values()
            for command in file_commands
        ]

        return FoundCommands(
            commands=tuple(commands),
            log="\n".join(session.logs),
            generated=session.build_output.files,
        )


def _record_shelling_setups(
    tree: SourceTree, scratch: Path, session: SetupSession
) -> None:
    """Run each `setup.py` that starts other build tools with the real setuptools."""
    setups = find_shelling_setups(tree)
    if not setups:
        return

    text = "\n".join(tree.read_text(setup) for setup in setups)
    switches = find_device_switches(text)
    session.add_commands(record_setup_builds(tree, scratch, switches))


def _find_modules(tree: SourceTree) -> list[str]:
    return list(islice(_iter_compiling_modules(tree), _MAX_MODULES))


def _iter_compiling_modules(tree: SourceTree) -> Iterator[str]:
    for path in tree.files:
        if not path.endswith(".py") or is_vendored(path):
            continue

        content = tree.read_bytes(path)
        # The plain search is much faster, and most modules do not pass it.
        if b"cpp_extension" in content and _RUN_TIME_COMPILATION.search(content):
            yield path


PLUGIN: Final[BuildSystem] = Setuptools()
