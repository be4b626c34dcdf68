"""Find the compiler invocation behind launchers, shells, environment settings and `cd`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from crawler.builds.commands.response_files import split_command_line

_COMPILER: Final = re.compile(
    r"(?:[\w.+]+-){0,4}(?:nvcc\w*|hipcc(?:\.pl|\.bin|_\w+)?|(?:amd|arm)?clang(?:\+\+|-cl|-cpp)?|gcc|[gc]\+\+|cc|cl|icl"
    r"|ic[xc]|icp[xc]|dpcpp|nvc(?:\+\+)?|pgcc|pgc\+\+|mpi(?:cc|cxx|c\+\+|icc|icpc|icx|icpx)|xlc(?:\+\+|_r)?)"
    r"(?:-\d[\d.]*)?(?:\.exe)?",
    re.IGNORECASE,
)
_LONGEST_NAME: Final = 80
_LAUNCHER: Final = re.compile(
    r"s?ccache|distcc|icecc|gomacc|env|time|nice|ionice|taskset|timeout|stdbuf|setarch|xcrun|cmake|scan-build|perl"
    r"|(?:[\w-]+-)?libtool|python[\d.]*|(?:ba|da|z|k|a)?sh"
)
_SHELL: Final = re.compile(r"(?:ba|da|z|k|a)?sh")
_SCRIPT: Final = re.compile(r"-[a-z]*c")
_SETTING: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_BETWEEN: Final = frozenset({"&&", "||", ";", "|"})
_DEEPEST: Final = 3


class Invocation(NamedTuple):
    """A compiler's own words, and the folder that the command line goes to before, empty for
    none.
    """

    folder: str
    words: list[str]


def find_compiler_invocation(words: Sequence[str]) -> Invocation:
    """Cut `cd x && ccache A=b nvcc …` down to its compiler and what follows."""
    folder = ""
    first: list[str] | None = None
    for command in _commands(list(words), 0):
        if command[0] == "cd" and len(command) > 1:
            folder = posixpath.join(folder, command[-1].rstrip(";"))
            continue
        found = _from_compiler(command)
        if found:
            return Invocation(folder, found)
        first = first or command
    return Invocation(folder, _behind_launchers(first or []))


def extract_compiler_name(words: Sequence[str]) -> str:
    """Return the bare name of the program that a command line begins with."""
    return _name(words[0]) if words else ""


def _commands(words: list[str], depth: int) -> Iterator[list[str]]:
    """Yield each command that a shell would run, those of `sh -c` too."""
    start = 0
    for end in range(len(words) + 1):
        if end == len(words) or words[end] in _BETWEEN or _ends_cd(words, start, end):
            command = words[start : end + _ends_cd(words, start, end)]
            start = end + 1
            script = _script(command)
            if script is not None and depth < _DEEPEST:
                yield from _commands(split_command_line(script), depth + 1)
            elif command:
                yield command


def _ends_cd(words: list[str], start: int, end: int) -> bool:
    return (
        end == start + 1
        and end < len(words)
        and words[start] == "cd"
        and words[end].endswith(";")
    )


def _script(command: list[str]) -> str | None:
    if command and _SHELL.fullmatch(_name(command[0])):
        for word, following in pairwise(command[1:]):
            if _SCRIPT.fullmatch(word):
                return following
            if not word.startswith("-"):
                return None
    return None


def _from_compiler(command: list[str]) -> list[str]:
    """Return the command from its compiler on, empty where no word is named like one."""
    start = next(
        (at for at, word in enumerate(command) if not _SETTING.fullmatch(word)),
        len(command),
    )
    command = command[start:]
    if not command or _is_compiler(command[0]):
        return command
    if _LAUNCHER.fullmatch(_name(command[0])):
        return command[
            next(
                (at for at, word in enumerate(command) if _is_compiler(word)),
                len(command),
            ) :
        ]
    return command[1:] if len(command) > 1 and _is_compiler(command[1]) else []


def _behind_launchers(command: list[str]) -> list[str]:
    while len(command) > 1 and (
        _LAUNCHER.fullmatch(_name(command[0])) or _SETTING.fullmatch(command[0])
    ):
        command = command[1:]
    return command


def _is_compiler(word: str) -> bool:
    name = _name(word)
    return len(name) <= _LONGEST_NAME and bool(_COMPILER.fullmatch(name))


def _name(word: str) -> str:
    return word[-400:].replace("\\", "/").rpartition("/")[2]
