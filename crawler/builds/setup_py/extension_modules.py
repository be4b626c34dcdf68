"""The extension modules that a project's `setup.py` makes, each with its sources."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from crawler.builds.setup_py.declaring_setups import find_setups
from crawler.builds.setup_py.setup_session import SetupSession
from crawler.checkout.source_tree import SourceTree
from crawler.model import CompileCommand
from crawler.sandbox.process_folders import make_prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionModule:
    """A module that Python imports and a compiler makes."""

    name: str
    """With dots: `torch_scatter._scatter_cuda`."""
    commands: tuple[CompileCommand, ...]
    """One for each source."""

    @property
    def files(self) -> frozenset[str]:
        """Its sources, relative to the checkout."""
        return frozenset(command.file for command in self.commands)

    @property
    def has_device_code(self) -> bool:
        """Whether a compiler for devices makes a part of it."""
        return any(command.dialect for command in self.commands)


def find_extension_modules(tree: SourceTree) -> tuple[ExtensionModule, ...]:
    """Return the modules of a project that builds device code; none where its `setup.py`
    declares no device source.

    A module of host code is left out where one with device code has all of its sources: it is the
    same for a machine without a GPU.

    Each `setup.py` runs in the sandbox, with stand-ins for torch and setuptools.
    """
    with tempfile.TemporaryDirectory(prefix=make_prefix("setup")) as scratch:
        session = SetupSession(tree, Path(scratch))
        for setup in find_setups(tree):
            session.run_setup(setup)

    modules = [
        ExtensionModule(name=name, commands=commands)
        for name, commands in session.modules.items()
        if _is_module_name(name)
    ]
    device_modules = [module for module in modules if module.has_device_code]
    return tuple(
        module
        for module in modules
        if module.has_device_code
        or not any(module.files <= other.files for other in device_modules)
    )


def _is_module_name(name: str) -> bool:
    """Tell whether Python could import it; the name also says where the module is written."""
    return all(part.isidentifier() for part in name.split("."))
