"""What libclang must be told besides, and the flags by which it checks a kernel unit."""

from __future__ import annotations

from functools import cache
from typing import Final

from crawler.errors import MissingTool
from crawler.model import Dialect
from crawler.toolchains import installed_libclang
from crawler.toolchains.clang_flags import get_compile_flags

LIBCLANG_FLAGS: Final = (
    # libclang 18 writes a precompiled header of C++20 with modules, and then cannot read it
    "-Xclang",
    "-fno-cxx-modules",
    # The sandbox does not show an installed CUDA: a precompiled header that was made with it would
    # serve nowhere inside.
    "--cuda-path=/kernelset-no-cuda",
)
_TARGETS: Final = {Dialect.CUDA: "sm_80", Dialect.HIP: "gfx90a"}
_UNDEFINED_FUNCTION_FLAGS: Final = (
    "-Werror=undefined-func-template",
    "-Werror=undefined-inline",
    "-Werror=undefined-internal",
)
"""A function that is called and never defined: no error to a front end, and none can be run.

`-w` would silence these, too, since they are warnings by default.
"""


def clang_resource_folder() -> str:
    """Return the folder of clang's own headers; raises `MissingTool`."""
    folder = installed_libclang.find_libclang_resource_dir()
    if folder is None:
        raise MissingTool(
            "clang's own headers are not installed: run `deploy/bootstrap`"
        )

    return str(folder)


@cache
def get_unit_check_flags(
    dialect: Dialect, standard: str, libraries: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the flags by which the compiler of a device would take a unit.

    Raises `MissingTool` where one of `libraries` is not installed.
    """
    compile_flags = get_compile_flags(
        dialect,
        _TARGETS[dialect],
        standard,
        libraries,
    )
    return (
        *(flag for flag in compile_flags if flag not in ("-S", "-w")),
        "-Wno-everything",
        *_UNDEFINED_FUNCTION_FLAGS,
        "-fsyntax-only",
        # libclang does not know its own folder
        "-ccc-install-dir",
        "/usr/bin",
        "-resource-dir",
        clang_resource_folder(),
        *LIBCLANG_FLAGS,
    )
