"""Record the environment variables that a project reads and the compilers that it starts."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any, Final

READ_VARIABLES: Final[dict[str, None]] = {}
"""Names, in the order in which they were read first."""
STARTED_COMPILERS: Final[list[dict[str, Any]]] = []
# the program that is started, by its name: `nvcc`, `g++-12`
_COMPILER: Final = re.compile(
    r"(?:nvcc|hipcc|clang\+\+|clang|g\+\+|gcc|c\+\+|cc)(?:-[\d.]+)?"
)
# a word of its command line that is a source
_SOURCE: Final = re.compile(r".+\.(?:cu|hip|cpp|cc|cxx|c)")
_PROJECT_PREFIXES: Final[list[str]] = []
_COMMIT: Final = "0" * 40
_SUCCESS: Final = ["true"]


class WatchedEnvironment(type(os.environ)):  # type: ignore[misc]
    """An environment that records which variables are read, and accepts any value."""

    def __getitem__(self, name: Any) -> Any:
        READ_VARIABLES.setdefault(str(name))
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        READ_VARIABLES.setdefault(str(name))
        return bool(super().__contains__(name))


class WatchedProcess(subprocess.Popen):  # type: ignore[type-arg]
    """A program that a project starts; compilers are recorded and other builds not run.

    `git` succeeds though there is no repository.
    """

    def __init__(self, args: Any, *positional: Any, **options: Any) -> None:
        replacement = _choose_replacement(args, options.get("cwd"))
        if replacement is not None:
            args = replacement
            options.update(shell=False, executable=None)

        super().__init__(args, *positional, **options)


def watch_project(root: str) -> None:
    """Begin to watch a project whose files are below `root`."""
    # Everything below is replaced in place, since projects have imported these names.
    _PROJECT_PREFIXES.append(f"{root}/")
    os.environ.__class__ = WatchedEnvironment
    # A placeholder as a value would be refused, since it is no text.
    vars(os.environ)["encodevalue"] = lambda value: os.fsencode(str(value))
    vars(subprocess)["Popen"] = WatchedProcess
    vars(os)["system"] = lambda command: WatchedProcess(command, shell=True).wait()  # noqa: S604


def _choose_replacement(args: Any, cwd: Any) -> list[str] | None:
    """Return the command to run in place of another, `None` to run that itself."""
    words = _split_words(args)
    program = os.path.basename(words[0]) if words else ""  # noqa: PTH119
    # `bash -c "cd x && nvcc …"` is judged by its command.
    if program in ("sh", "bash") and len(words) == 3 and words[1] == "-c":
        return _choose_replacement(words[2], cwd)
    # Versions are often made from `git rev-parse HEAD`.
    if program == "git":
        return ["echo", _COMMIT] if "rev-parse" in words else _SUCCESS

    folder = os.path.abspath(str(cwd or "."))  # noqa: PTH100
    if _is_project_compilation(program, words, folder):
        STARTED_COMPILERS.append(
            {
                "directory": folder,
                "arguments": words,
            }
        )

        return _SUCCESS

    # `cmake --version` is a question, and is answered.
    is_configure_run = program == "cmake" and "--version" not in words
    if is_configure_run or program in ("ninja", "make"):
        return _SUCCESS

    return None


def _is_project_compilation(program: str, words: list[str], folder: str) -> bool:
    """Tell whether a compiler is started for a source of the project.

    Any other source is a probe of the compiler, which runs.
    """
    if not _COMPILER.fullmatch(program) or {"-c", "-o"}.isdisjoint(words):
        return False

    for word in words[1:]:
        if not _SOURCE.fullmatch(word):
            continue

        path = os.path.normpath(os.path.join(folder, word))  # noqa: PTH118
        if path.startswith(tuple(_PROJECT_PREFIXES)):
            return True

    return False


def _split_words(args: Any) -> list[str]:
    if isinstance(args, str):
        try:
            return shlex.split(args)
        except ValueError:
            return args.split()

    arguments = args if isinstance(args, list | tuple) else [args]

    return [_to_text(argument) for argument in arguments]


def _to_text(argument: Any) -> str:
    if isinstance(argument, str | bytes | Path):
        return os.fsdecode(argument)

    return str(argument)
