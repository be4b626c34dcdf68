"""Stand in for the linker, and for a C++ compiler where no source has kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Final

from crawler.builds.sandbox_paths import CUDA_HOME, ROCM_HOME
from crawler.cpp.language_standard import requested_standard
from crawler.validate.suites.own_builds.inside.compiler_call import HOST_SUFFIXES

RUNTIME: Final = f"{CUDA_HOME}/lib64/libkernelset.so"
"""The CPU model's runtime."""
LINK_WORDS: Final = (
    # functions that nobody calls may name what is not there
    "-Wl,--gc-sections",
    *(f"-L{CUDA_HOME}/lib64", f"-L{ROCM_HOME}/lib"),
    # a program that calls nothing of the runtime is linked without it
    *("-Wl,--as-needed", RUNTIME, "-Wl,--no-as-needed"),
    f"-Wl,-rpath,{CUDA_HOME}/lib64",
    *("-lm", "-lpthread", "-ldl"),
)
"""Words that follow what is linked."""
_UNLINKED_MODES: Final = frozenset({"-c", "-E", "-S", "-M", "-MM", "--version", "-v"})
"""Words of a call that links nothing."""
_REFUSED_FLAG: Final = "unknown argument: '"
_MAX_REFUSED_FLAGS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the toolkit tells its compilers."""

    clang: str
    device_flags: tuple[str, ...]
    host_flags: tuple[str, ...]

    def list_flags(self, words: list[str], *, is_device: bool) -> list[str]:
        """Return our flags, with the C++ standard that `words` ask for."""
        flags = self.device_flags if is_device else self.host_flags
        standard = requested_standard(words).replace("c++", "gnu++")
        return [
            f"-std={standard}" if flag.startswith("-std=") else flag for flag in flags
        ]


def run_host_compiler(settings: Settings, words: list[str]) -> int:
    """Compile or link C++ without kernels, which may call the runtime."""
    has_source = any(
        word.endswith(HOST_SUFFIXES) for word in words if not word.startswith("-")
    )
    argv = [settings.clang]
    if has_source:
        flags = settings.list_flags(words, is_device=False)
        argv += _drop_language(flags)
    argv += drop_standard(_drop_toolkit(words)) if has_source else words
    if _UNLINKED_MODES.isdisjoint(words):
        argv += LINK_WORDS

    return _run_without_refused(argv)


def _drop_language(flags: list[str]) -> list[str]:
    """Return `flags` without `-x c++`, which objects beside a source would be read as, too."""
    position = flags.index("-x")
    return [*flags[:position], *flags[position + 2 :]]


def _drop_toolkit(words: list[str]) -> list[str]:
    """Return `words` without the folders of headers that are among our flags."""
    remaining_flags: list[str] = []
    pending = iter(words)
    for word in pending:
        if word in ("-I", "-isystem"):
            folder = next(pending, "")
            remaining_flags += [] if map_path(folder) is None else [word, folder]
        elif not word.startswith((f"-I{CUDA_HOME}", f"-I{ROCM_HOME}")):
            remaining_flags.append(word)

    return remaining_flags


def drop_standard(words: list[str]) -> list[str]:
    """Return `words` without the C++ standard, which is among our flags."""
    return [word for word in words if not word.startswith(("-std=", "--std="))]


def _run_without_refused(argv: list[str]) -> int:
    """Run clang without the flags that only GCC knows."""
    for _ in range(_MAX_REFUSED_FLAGS):
        completed = subprocess.run(argv, stderr=subprocess.PIPE)
        message = completed.stderr.decode("utf-8", "replace")
        refused = message.partition(_REFUSED_FLAG)[2].partition("'")[0]
        if not completed.returncode or refused not in argv:
            break
        argv = [word for word in argv if word != refused]

    sys.stderr.write(message)
    return completed.returncode


def map_path(path: str) -> str | None:
    """Return a folder of headers as it is; `None` for those of the toolkits and of the system,
    which our flags have in their own order.
    """
    is_hidden = path.startswith((CUDA_HOME, ROCM_HOME))
    is_hidden |= os.path.normpath(path) == "/usr/include"
    return None if is_hidden else path
