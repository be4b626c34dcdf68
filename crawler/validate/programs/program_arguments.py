"""With which arguments a project runs its programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from crawler import sandbox
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_TARGETS: Final = ("run", "test", "check")
"""Goals of a Makefile that run what it builds, by the field's habit; GNU's standard has `check`."""
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_SECONDS: Final = 10
_MAX_LEVELS: Final = 3
# a line of a script, and its words
_SEPARATOR: Final = re.compile(r"&&|\|\||[;|]")
_ASSIGNMENT: Final = re.compile(r"\w+=")
_REDIRECTION: Final = re.compile(r"\d?[<>]|&")
_MAX_ARGUMENTS: Final = 32
_MAX_LENGTH: Final = 200
_LEAST_REDUCED: Final = 2


def find_arguments(root: Path, directory: str) -> tuple[str, ...]:
    """Return the arguments of the first program that `make run` would start in `directory` of
    the checkout `root`; empty where none is named.
    """
    folder = root / directory
    if not any((folder / name).is_file() for name in _MAKEFILES):
        return ()

    for target in _TARGETS:
        # what a Makefile asks of a shell while it is read runs in the sandbox, too
        completed = sandbox.run(
            ("make", "--dry-run", "--no-print-directory", target),
            mounts=(Mount(source=root, target="/checkout"),),
            cwd=f"/checkout/{directory}",
            limits=Limits(seconds=_SECONDS, cpu_seconds=_SECONDS),
        )
        if completed.exit_code == 0:
            arguments = next(parse_program_calls(completed.text), None)
            if arguments is not None:
                return arguments

    return ()


def find_run_folder(root: Path, source: str) -> str:
    """Return the folder that a program of `source` is run in: the nearest one above it with a
    Makefile, within the checkout `root`, else its own.
    """
    own_folder = PurePosixPath(source).parent
    for folder in (own_folder, *own_folder.parents)[:_MAX_LEVELS]:
        if any((root / folder / name).is_file() for name in _MAKEFILES):
            return str(folder)

    return str(own_folder)


def parse_program_calls(commands: str) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each command that starts a program of its own folder."""
    for line in commands.splitlines():
        for command in _SEPARATOR.split(line):
            arguments = _parse_call(command)
            if arguments is not None:
                yield arguments


def _parse_call(command: str) -> tuple[str, ...] | None:
    try:
        words = shlex.split(command)
    except ValueError:
        return None

    while words and _ASSIGNMENT.match(words[0]):
        words = words[1:]

    if not words or not words[0].startswith("./") or words[0].endswith(".sh"):
        return None

    arguments: list[str] = []
    for word in words[1:]:
        if _REDIRECTION.match(word):
            break
        arguments.append(word[:_MAX_LENGTH])

    return tuple(arguments[:_MAX_ARGUMENTS])


def reduce_arguments(arguments: Sequence[str], divisor: int) -> tuple[str, ...]:
    """Return arguments whose whole numbers are divided, for a run that takes too long."""
    return tuple(
        str(max(1, int(word) // divisor))
        if word.isascii() and word.isdigit() and int(word) >= _LEAST_REDUCED
        else word
        for word in arguments
    )
