"""Record the environment variables that a project reads and the compilers that it starts."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

READ_VARIABLES: Final[dict[str, None]] = {}
STARTED_COMPILERS: Final[list[dict[str, Any]]] = []
_COMPILER: Final = re.compile(
    r"(?:nvcc|hipcc|clang\+\+|clang|g\+\+|gcc|c\+\+|cc)(?:-[\d.]+)?"
)
_SOURCE: Final = re.compile(r".+\.(?:cu|hip|cpp|cc|cxx|c)")
_ROOTS: Final[list[str]] = []
_COMMIT: Final = "0" * 40


class WatchedEnvironment(type(os.environ)):  # type: ignore[misc]
    """An environment that notes which variables are asked for, and takes any value."""

    def __getitem__(self, name: Any) -> Any:
        READ_VARIABLES.setdefault(str(name))
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        READ_VARIABLES.setdefault(str(name))
        return bool(super().__contains__(name))


class WatchedProcess(subprocess.Popen):  # type: ignore[type-arg]
    """A program that is started: compilers are noted and not run, and `git` answers though
    there is no repository.
    """

    def __init__(self, args: Any, *rest: Any, **options: Any) -> None:
        instead = _instead(args, options.get("cwd"))
        if instead is not None:
            args = instead
            options.update(shell=False, executable=None)
        super().__init__(args, *rest, **options)


def watch_project(root: str) -> None:
    """Begin to watch a project whose files are below `root`."""
    _ROOTS.append(f"{root}/")
    os.environ.__class__ = WatchedEnvironment
    vars(os.environ)["encodevalue"] = lambda value: os.fsencode(str(value))
    vars(subprocess)["Popen"] = WatchedProcess
    vars(os)["system"] = lambda command: WatchedProcess(command, shell=True).wait()  # noqa: S604


def _instead(args: Any, cwd: Any) -> list[str] | None:
    """Return what to run in its place, `None` for the thing itself."""
    words = _words(args)
    program = os.path.basename(words[0]) if words else ""  # noqa: PTH119
    if program in ("sh", "bash") and len(words) == 3 and words[1] == "-c":
        return _instead(words[2], cwd)
    if program == "git":
        return ["echo", _COMMIT] if "rev-parse" in words else ["true"]
    folder = os.path.abspath(str(cwd or "."))  # noqa: PTH100
    if (
        _COMPILER.fullmatch(program)
        and {"-c", "-o"} & set(words)
        and _compiles_own(words[1:], folder)
    ):
        STARTED_COMPILERS.append({"directory": folder, "arguments": words})
        return ["true"]
    configures = program == "cmake" and "--version" not in words
    return ["true"] if configures or program in ("ninja", "make") else None


def _compiles_own(words: list[str], folder: str) -> bool:
    """Tell whether a source of the project is compiled: any other is a probe, which is answered
    in earnest.
    """
    sources = (
        os.path.normpath(os.path.join(folder, one))  # noqa: PTH118
        for one in words
        if _SOURCE.fullmatch(one)
    )
    return any(source.startswith(tuple(_ROOTS)) for source in sources)


def _words(args: Any) -> list[str]:
    if isinstance(args, str):
        try:
            return shlex.split(args)
        except ValueError:
            return args.split()
    return [
        os.fsdecode(one) if isinstance(one, str | bytes | Path) else str(one)
        for one in _sequence(args)
    ]


def _sequence(args: Any) -> Sequence[Any]:
    return args if isinstance(args, list | tuple) else [args]
