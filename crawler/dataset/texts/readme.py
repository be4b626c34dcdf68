"""The page in a folder of sources that says how they compile."""

from __future__ import annotations

from typing import Final

from crawler import headers
from crawler.model import Dialect
from crawler.toolchains.clang_flags import get_compile_flags

SOURCE_SUFFIXES: Final = {Dialect.CUDA.value: ".cu", Dialect.HIP.value: ".hip"}
_TARGETS: Final = {Dialect.CUDA: "sm_80", Dialect.HIP: "gfx90a"}


def render_readme() -> str:
    """Return the page with a command for each dialect, to run from the folder."""
    paragraphs = [
        "Each source here compiles alone, from this folder, with clang 18 or newer:"
    ]
    for dialect in Dialect:
        suffix = SOURCE_SUFFIXES[dialect]
        flags = " ".join(_list_portable_flags(dialect))
        paragraphs.append(f"{suffix}: clang++ {flags} KERNEL{suffix} -o KERNEL.o")

    commands = "\n\n    ".join(paragraphs)
    advice = "Where clang does not find ROCm by itself, give it --rocm-device-lib-path=FOLDER."
    return f"{commands}\n\n{advice}\n"


def _list_portable_flags(dialect: Dialect) -> list[str]:
    """Return the flags of a build, without folders of this machine."""
    target = _TARGETS[dialect]
    own_root = str(headers.ROOT)
    portable_flags: list[str] = []

    for flag in get_compile_flags(dialect, target):
        relative_flag = flag.replace(own_root, "include")
        is_include = "/include" in relative_flag
        is_of_rocm = "rocm-device-lib-path" in relative_flag
        if is_include or is_of_rocm:
            continue

        portable_flags.append(relative_flag)

    return portable_flags
