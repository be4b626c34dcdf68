"""GLM, the vectors and matrices of shaders, for C++."""

from __future__ import annotations

from typing import Final

from crawler.libraries.distributed_headers import DistributedHeaders
from crawler.libraries.interface import HeaderLibrary
from crawler.model import Dialect

_LAYOUTS: Final = ({"glm": "glm"},)
_VERSION_MACROS: Final = (
    "GLM_VERSION_MAJOR",
    "GLM_VERSION_MINOR",
    "GLM_VERSION_PATCH",
    "GLM_VERSION_REVISION",
)


class Glm(DistributedHeaders):
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
    layouts = _LAYOUTS
    main_header = "glm/glm.hpp"
    version_header = "glm/detail/setup.hpp"
    version_macros = _VERSION_MACROS

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the switches by which its templates are for devices, too."""
        # It defines some templates without the attributes that it declares them with, which nvcc
        # lets pass. Versions before 1.0 know no other compiler of devices, so not HIP's.
        return ("-DGLM_FORCE_CUDA", "-foffload-implicit-host-device-templates")


PLUGIN: Final[HeaderLibrary] = Glm()
