"""The Python with PyTorch that test suites run in."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from crawler import process
from crawler.cpp.language_standard import requested_standard
from crawler.errors import MissingTool
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=120)
_QUESTION: Final = """
import inspect, json, re, sys, sysconfig
from importlib.metadata import distributions
import torch
from torch.utils import cpp_extension
print(json.dumps({
    "version": torch.__version__,
    "is_cuda_build": torch.version.cuda is not None,
    "has_new_abi": torch.compiled_with_cxx11_abi(),
    "torch": str(torch.__path__[0]),
    "standards": sorted(set(re.findall(r"-std=(c[+]+[0-9]+)", inspect.getsource(cpp_extension)))),
    "includes": [*cpp_extension.include_paths(), sysconfig.get_paths()["include"]],
    "folders": [sys.prefix, sys.base_prefix, sysconfig.get_paths()["purelib"]],
    "packages": sorted({f"{each.name}=={each.version}" for each in distributions()}),
}))
"""


class TorchEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """An interpreter that can import a CPU build of PyTorch, and what compiling for it needs."""

    python: str = ""
    version: str
    is_cuda_build: bool
    has_new_abi: bool
    torch: str
    """The folder of the package."""
    standards: tuple[str, ...]
    """Of C++, that its own builder of extensions names."""
    includes: tuple[str, ...]
    folders: tuple[str, ...]
    """What the interpreter needs inside a sandbox."""
    packages: tuple[str, ...]
    """What is installed there, with versions: `numpy==2.3.4`."""

    @property
    def standard(self) -> str:
        """The standard that its headers need."""
        return requested_standard([f"-std={name}" for name in self.standards[-1:]])

    @property
    def library_folder(self) -> str:
        """Where PyTorch's shared libraries are."""
        return f"{self.torch}/lib"

    @property
    def system_flags(self) -> tuple[str, ...]:
        """Flags by which a compiler finds the headers of PyTorch and Python."""
        folders = [word for path in self.includes for word in ("-isystem", path)]
        abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(self.has_new_abi)}"
        return (*folders, abi, "-DTORCH_API_INCLUDE_EXTENSION_H")

    def list_mounts(self) -> tuple[Mount, ...]:
        """Return what the interpreter needs in a sandbox, at its own paths."""
        # which a sandbox shows anyway
        shown_paths = [Path("/usr")]
        for path in sorted(Path(folder) for folder in (*self.folders, self.torch)):
            if not any(path.is_relative_to(other) for other in shown_paths):
                shown_paths.append(path)

        return tuple(Mount(source=path, target=str(path)) for path in shown_paths[1:])


@cache
def open_torch_environment(python: str = sys.executable) -> TorchEnvironment:
    """Ask an interpreter for its PyTorch.

    Raises `MissingTool` where it has none, or one built for CUDA: that takes its CUDA device to
    be its own.
    """
    # a sandbox has another working folder; a venv is known by the link, not by what it leads to
    python = str(Path(python).absolute())
    completed = process.run((python, "-c", _QUESTION), limits=_LIMITS)
    lines = completed.text.strip().splitlines() or [""]

    try:
        environment = msgspec.json.decode(lines[-1], type=TorchEnvironment)
    except msgspec.MsgspecError as error:
        raise MissingTool(
            f"{python} cannot import torch ({lines[-1][:200]}): name one that can with --python"
        ) from error

    if environment.is_cuda_build:
        raise MissingTool(
            f"{python} has PyTorch {environment.version}, built for CUDA: name one with a build"
            " for the CPU with --python"
        )

    return msgspec.structs.replace(environment, python=python)
