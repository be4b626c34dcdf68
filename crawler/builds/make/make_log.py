"""Parse compiler calls from the output of `make -n -w`."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from crawler.builds.commands.compilers import is_compiler, iter_source_entries
from crawler.builds.commands.database_entries import DatabaseEntry

_LONGEST: Final = 64 << 10
_MOST_WORDS: Final = 4_000_000
_MOVED: Final = re.compile(r"\S+?(?:\[\d+\])?: (Entering|Leaving) directory [`'](.*)'$")
_SOURCE: Final = re.compile(r"\.(?:cu|hip|cpp|cc|cxx|c|C|c\+\+)\b|(?:^|\s)-x\s")
_COMPUTED: Final = re.compile(r"\$\([^()]*\)|`[^`]*`")
_ENDS: Final = frozenset({";", "&&", "||", "|", "&", "(", ")", ";;", "|&"})
_REDIRECTS: Final = re.compile(r"[0-9]?[<>]+&?")
_ASSIGNS: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_KEYWORDS: Final = frozenset(
    {
        "if",
        "then",
        "else",
        "elif",
        "while",
        "until",
        "do",
        "!",
        "{",
        "}",
        "time",
        "exec",
        "set",
    }
)
_LAUNCHERS: Final = frozenset(
    {"ccache", "sccache", "distcc", "env", "nice", "@", "command", "libtool"}
)


def parse_make_log(text: str, base_folder: str) -> list[DatabaseEntry]:
    """Find the compilers' calls in what `make -n -w` printed, starting in the folder
    `base_folder`.
    """
    entries: list[DatabaseEntry] = []
    words = 0
    folders = [base_folder]
    for line in _logical_lines(text):
        moved = _MOVED.fullmatch(line)
        if moved is not None:
            _move(folders, moved.group(1), moved.group(2))
        elif len(line) <= _LONGEST and _SOURCE.search(line):
            for entry in _compiled(line, folders[-1]):
                words += len(entry.arguments or ())
                if words > _MOST_WORDS:
                    return entries
                entries.append(entry)
    return entries


def _move(folders: list[str], how: str, where: str) -> None:
    if how == "Entering":
        folders.append(where)
    elif where in folders[1:]:
        # a make that was killed never says that it leaves
        while folders[-1] != where:
            folders.pop()
        folders.pop()


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines with those that end in a backslash joined to the next."""
    held = ""
    for line in text.splitlines():
        if line.endswith("\\") and len(held) <= _LONGEST:
            held += line[:-1] + " "
        else:
            yield held + line
            held = ""
    if held:
        yield held


def _compiled(line: str, folder: str) -> Iterator[DatabaseEntry]:
    for command in _commands(line):
        words = _without_prefix(command)
        if words[:1] == ["cd"] and len(words) == 2:
            folder = posixpath.normpath(posixpath.join(folder, words[1]))
        elif words and (is_compiler(words[0]) or "-c" in words):
            yield from iter_source_entries(words, folder)


def _commands(line: str) -> Iterator[list[str]]:
    """Split a shell line into its simple commands; what is no shell line that we understand has
    none.
    """
    line = _COMPUTED.sub("", line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    command: list[str] = []
    try:
        words = list(lexer)
    except ValueError:
        return
    pending = iter(words)
    for word in pending:
        if word in _ENDS:
            yield command
            command = []
        elif _REDIRECTS.fullmatch(word):
            next(pending, "")
        else:
            command.append(word)
    yield command


def _without_prefix(command: Iterable[str]) -> list[str]:
    words = list(command)
    start = 0
    while start < len(words) and (
        words[start] in _KEYWORDS
        or posixpath.basename(words[start]) in _LAUNCHERS
        or _ASSIGNS.fullmatch(words[start])
    ):
        start += 1
    return words[start:]
