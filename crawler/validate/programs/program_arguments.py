"""With which arguments a project runs its programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
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
# names of files: what runs programs, or says how to
_SCRIPT: Final = re.compile(r"(?:run|test)\w*|[\w.-]+\.(?:sh|bash)|README(?:\.\w+)?")
# a line of a text: what a shell shows before a command
_PROMPT: Final = re.compile(r"^[ \t>]*[$%][ \t]+", re.MULTILINE)
# a word of a command: a variable, a name to fill in, a choice
_PLACEHOLDER: Final = re.compile(r"[$<>\[\]{}|`]|\.\.\.")
_MAX_SETS: Final = 3
_MAX_SCRIPTS: Final = 8
_MAX_SCRIPT_BYTES: Final = 1 << 16
_MAX_FOLDER_FILES: Final = 1000
_MAX_ARGUMENTS: Final = 32
_MAX_LENGTH: Final = 200
_LEAST_REDUCED: Final = 2


def list_argument_sets(
    root: Path, directory: str, source: str
) -> tuple[tuple[str, ...], ...]:
    """Return with which arguments a program of `source` may be meant to run in `directory` of
    the checkout `root`, best first: those of a Makefile, of the scripts beside it, and none.
    """
    made = _find_in_makefile(root, directory)
    names = {PurePosixPath(source).stem, *_list_made_programs(root, directory, source)}
    script_calls = list_script_calls(root / directory, names)
    sets = [*([made] if made is not None else []), *script_calls]
    return tuple(dict.fromkeys([*sets[:_MAX_SETS], made or ()]))


def _find_in_makefile(root: Path, directory: str) -> tuple[str, ...] | None:
    """Return the arguments of the first program that `make run` would start; `None` where it
    starts none.
    """
    for target in _TARGETS:
        commands = _ask_make(root, directory, target)
        call = next(parse_program_calls(commands), None)
        if call is not None:
            return call.arguments

    return None


def _ask_make(root: Path, directory: str, *words: str) -> str:
    """Return what make would run in a folder, nothing where it has no such goal."""
    if not any((root / directory / name).is_file() for name in _MAKEFILES):
        return ""

    # what a Makefile asks of a shell while it is read runs in the sandbox, too
    completed = sandbox.run(
        ("make", "--dry-run", "--no-print-directory", *words),
        mounts=(Mount(source=root, target="/checkout"),),
        cwd=f"/checkout/{directory}",
        limits=Limits(seconds=_SECONDS, cpu_seconds=_SECONDS),
    )
    return completed.text if completed.exit_code == 0 else ""


def _list_made_programs(root: Path, directory: str, source: str) -> Iterator[str]:
    """Yield the names of what make would make of a source in one command."""
    name = PurePosixPath(source).name
    for line in _ask_make(root, directory, "--always-make").splitlines():
        words = line.split()
        if (
            any(PurePosixPath(word).name == name for word in words)
            and "-c" not in words
        ):
            for option, output in pairwise(words):
                if option == "-o":
                    yield PurePosixPath(output).stem


def find_run_folder(root: Path, source: str) -> str:
    """Return the folder that a program of `source` is run in: the nearest one above it with a
    Makefile, within the checkout `root`, else its own.
    """
    own_folder = PurePosixPath(source).parent
    for folder in (own_folder, *own_folder.parents)[:_MAX_LEVELS]:
        if any((root / folder / name).is_file() for name in _MAKEFILES):
            return str(folder)

    return str(own_folder)


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """A command that starts a program of its own folder."""

    program: str
    arguments: tuple[str, ...]


def list_script_calls(folder: Path, names: Collection[str]) -> list[tuple[str, ...]]:
    """Return the arguments with which scripts and texts in `folder` start a program that has one
    of `names`, without its suffix.

    A program of another name is taken for it only where no other is started.
    """
    calls = [
        call
        for text in _read_scripts(folder)
        for call in parse_program_calls(_PROMPT.sub("", text))
        # what a shell or a reader fills in is unknown
        if not any(_PLACEHOLDER.search(word) for word in call.arguments)
    ]
    own_calls = [call for call in calls if PurePosixPath(call.program).stem in names]
    if not own_calls and len({call.program for call in calls}) == 1:
        own_calls = calls

    return [call.arguments for call in own_calls]


def _read_scripts(folder: Path) -> Iterator[str]:
    files = sorted(islice(folder.iterdir(), _MAX_FOLDER_FILES))
    scripts = [file for file in files if _SCRIPT.fullmatch(file.name)]
    for file in scripts[:_MAX_SCRIPTS]:
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as stream:
                yield stream.read(_MAX_SCRIPT_BYTES).decode("utf-8", "replace")


def parse_program_calls(commands: str) -> Iterator[ProgramCall]:
    """Yield each command that starts a program of its own folder."""
    for line in commands.splitlines():
        for command in _SEPARATOR.split(line):
            call = _parse_call(command)
            if call is not None:
                yield call


def _parse_call(command: str) -> ProgramCall | None:
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

    return ProgramCall(words[0], tuple(arguments[:_MAX_ARGUMENTS]))


def reduce_arguments(arguments: Sequence[str], divisor: int) -> tuple[str, ...]:
    """Return arguments whose whole numbers are divided, for a run that takes too long."""
    return tuple(
        str(max(1, int(word) // divisor))
        if word.isascii() and word.isdigit() and int(word) >= _LEAST_REDUCED
        else word
        for word in arguments
    )
