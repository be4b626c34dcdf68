"""Find the compiler invocation behind launchers, shells, environment settings and `cd`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from crawler.builds.commands.response_files import split_command_line

# the name of a program, in the spellings of all systems
_COMPILER: Final = re.compile(
    r"(?:[\w.+]+-){0,4}"
    r"(?:nvcc\w*|hipcc(?:\.pl|\.bin|_\w+)?|(?:amd|arm)?clang(?:\+\+|-cl|-cpp)?|gcc|[gc]\+\+"
    r"|cc|cl|icl|ic[xc]|icp[xc]|dpcpp|nvc(?:\+\+)?|pgcc|pgc\+\+"
    r"|mpi(?:cc|cxx|c\+\+|icc|icpc|icx|icpx)|xlc(?:\+\+|_r)?)"
    r"(?:-\d[\d.]*)?(?:\.exe)?",
    re.IGNORECASE,
)
_MAX_NAME_CHARS: Final = 80
_MAX_PATH_CHARS: Final = 400
# the name of a program that may start a compiler
_LAUNCHER: Final = re.compile(
    r"s?ccache|distcc|icecc|gomacc|env|time|nice|ionice|taskset|timeout|stdbuf|setarch|xcrun"
    r"|cmake|scan-build|perl|(?:[\w-]+-)?libtool|python[\d.]*|(?:ba|da|z|k|a)?sh"
)
_SHELL: Final = re.compile(r"(?:ba|da|z|k|a)?sh")
_SCRIPT_FLAG: Final = re.compile(r"-[a-z]*c")
"""`-c` of a shell, also joined with others: `bash -ec`."""
# `CC=gcc` in front of a program
_ENVIRONMENT_SETTING: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_COMMAND_SEPARATORS: Final = frozenset({"&&", "||", ";", "|"})
_MAX_SHELL_DEPTH: Final = 3


class Invocation(NamedTuple):
    """A compiler's own words, and the folder that it is called in."""

    folder: str
    """Where the command line changes to first, empty where it does not."""
    words: list[str]


def find_compiler_invocation(words: Sequence[str]) -> Invocation:
    """Cut `cd x && ccache A=b nvcc …` down to its compiler and what follows.

    Where no word is named like a compiler, it is the first command behind its launchers.
    """
    folder = ""
    first_command: list[str] = []

    for command in _iter_commands(list(words), 0):
        # make and ninja write `cd build && nvcc …`
        if command[0] == "cd" and len(command) > 1:
            folder = posixpath.join(folder, command[-1].rstrip(";"))
            continue

        compiler_words = _cut_to_compiler(command)
        if compiler_words:
            return Invocation(folder, compiler_words)

        first_command = first_command or command

    return Invocation(folder, _strip_launchers(first_command))


def extract_compiler_name(words: Sequence[str]) -> str:
    """Return the bare name of the program that a command line begins with."""
    return _get_program_name(words[0]) if words else ""


def _iter_commands(words: list[str], depth: int) -> Iterator[list[str]]:
    """Yield each command that a shell would run, those of `sh -c` too."""
    start = 0
    for end in range(len(words) + 1):
        ends_cd = _ends_cd(words, start, end)
        is_last = end == len(words)
        if not is_last and not ends_cd and words[end] not in _COMMAND_SEPARATORS:
            continue

        # split at blanks, `cd sub; nvcc` has the semicolon in the folder's word
        command = words[start : end + 1] if ends_cd else words[start:end]
        start = end + 1
        script = _extract_shell_script(command)

        if script is not None and depth < _MAX_SHELL_DEPTH:
            yield from _iter_commands(split_command_line(script), depth + 1)
        elif command:
            yield command


def _ends_cd(words: list[str], start: int, end: int) -> bool:
    """Tell whether the word at `end` is the `folder;` of a `cd folder;` that begins at `start`."""
    if end != start + 1 or end >= len(words):
        return False

    return words[start] == "cd" and words[end].endswith(";")


def _extract_shell_script(command: list[str]) -> str | None:
    """Return what `sh -c` is given, `None` for another command."""
    if not command or not _SHELL.fullmatch(_get_program_name(command[0])):
        return None

    # bash --norc -ec "nvcc …"
    for word, following_word in pairwise(command[1:]):
        if _SCRIPT_FLAG.fullmatch(word):
            return following_word
        if not word.startswith("-"):
            return None

    return None


def _cut_to_compiler(command: list[str]) -> list[str]:
    """Return the command from its compiler on, empty where no word is named like one."""
    start = 0
    while start < len(command) and _ENVIRONMENT_SETTING.fullmatch(command[start]):
        start += 1

    command = command[start:]
    if not command or _is_compiler(command[0]):
        return command

    if _is_launcher(command[0]):
        # options of the launcher stand between: `nice -n 10 nvcc`
        for position, word in enumerate(command):
            if _is_compiler(word):
                return command[position:]

        return []

    # a wrapper script of the project: `./quiet.sh nvcc -c k.cu`
    if len(command) > 1 and _is_compiler(command[1]):
        return command[1:]

    return []


def _strip_launchers(command: list[str]) -> list[str]:
    while len(command) > 1:
        word = command[0]
        if not _is_launcher(word) and not _ENVIRONMENT_SETTING.fullmatch(word):
            break

        command = command[1:]

    return command


def _is_compiler(word: str) -> bool:
    name = _get_program_name(word)
    return len(name) <= _MAX_NAME_CHARS and bool(_COMPILER.fullmatch(name))


def _is_launcher(word: str) -> bool:
    return bool(_LAUNCHER.fullmatch(_get_program_name(word)))


def _get_program_name(word: str) -> str:
    # the path may be one of Windows: C:\CUDA\bin\nvcc.exe
    return word[-_MAX_PATH_CHARS:].replace("\\", "/").rpartition("/")[2]
