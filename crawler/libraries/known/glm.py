"""GLM, the vectors and matrices of shaders, for C++."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_parts
from crawler.model import Dialect

_LAYOUTS: Final = ({"glm": "glm"},)
_VERSION_MACROS: Final = (
    "GLM_VERSION_MAJOR",
    "GLM_VERSION_MINOR",
    "GLM_VERSION_PATCH",
    "GLM_VERSION_REVISION",
)


class Glm:
    """GLM, of a distribution or a checkout."""

    name = "glm"
    title = "GLM"
    order = 50
    prefixes: tuple[str, ...] = ("glm/",)
    namespaces: tuple[str, ...] = ("glm",)
    macro_prefixes: tuple[str, ...] = ("GLM_",)
    dialects = frozenset(Dialect)
    licence = "MIT"
    packages: tuple[str, ...] = ("libglm-dev",)
    wheels: tuple[str, ...] = ()
    wheel_folders: tuple[str, ...] = ()
    system_folders: tuple[str, ...] = ("/usr/include", "/usr/local/include")
    held_prefixes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a folder of includes holds."""
        parts = find_parts(folder, _LAYOUTS, "glm/glm.hpp")
        if not parts:
            return None

        header = dict(parts)["glm"] / "detail/setup.hpp"
        version = read_parts(header, _VERSION_MACROS)
        return InstalledLibrary(name=self.name, version=version, parts=parts)

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the switches by which its templates are for devices, too."""
        # It defines some templates without the attributes that it declares them with, which nvcc
        # lets pass. Versions before 1.0 know no other compiler of devices, so not HIP's.
        return ("-DGLM_FORCE_CUDA", "-foffload-implicit-host-device-templates")


PLUGIN: Final[HeaderLibrary] = Glm()
