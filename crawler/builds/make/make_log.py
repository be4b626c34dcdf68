"""Parse compiler calls from the output of `make -n -w`."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.builds.commands.compilers import is_compiler, iter_source_entries
from crawler.builds.commands.database_entries import DatabaseEntry

_MAX_LINE_LENGTH: Final = 64 << 10
_MAX_WORDS: Final = 4_000_000
# `make[2]: Entering directory '/src/lib'`
_FOLDER_CHANGE: Final = re.compile(
    r"\S+?(?:\[\d+\])?: (Entering|Leaving) directory [`'](.*)'$"
)
_SOURCE_MENTION: Final = re.compile(r"\.(?:cu|hip|cpp|cc|cxx|c|C|c\+\+)\b|(?:^|\s)-x\s")
# `$(pkg-config --cflags x)` and `date`: nothing is run here, so they are left out.
_COMMAND_SUBSTITUTION: Final = re.compile(r"\$\([^()]*\)|`[^`]*`")
_SHELL_OPERATORS: Final = frozenset({";", "&&", "||", "|", "&", "(", ")", ";;", "|&"})
# `2>&1` and `CC=gcc`, as the shell's words
_REDIRECTION: Final = re.compile(r"[0-9]?[<>]+&?")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_SHELL_KEYWORDS: Final = frozenset(
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
    """Return the compiler calls in the output of `make -n -w`, which began in `base_folder`."""
    entries: list[DatabaseEntry] = []
    word_count = 0
    folders = [base_folder]

    for line in _join_continued_lines(text):
        folder_change = _FOLDER_CHANGE.fullmatch(line)
        if folder_change is not None:
            _change_folder(folders, folder_change.group(1), folder_change.group(2))
            continue
        if len(line) > _MAX_LINE_LENGTH or not _SOURCE_MENTION.search(line):
            continue

        for entry in _iter_line_entries(line, folders[-1]):
            # Each source on a command line has an entry with all of its words.
            word_count += len(entry.arguments or ())
            if word_count > _MAX_WORDS:
                return entries

            entries.append(entry)

    return entries


def _change_folder(folders: list[str], action: str, folder: str) -> None:
    """Follow make into a folder, or out of it, on the stack of its folders."""
    if action == "Entering":
        folders.append(folder)
        return
    if folder not in folders[1:]:
        return

    # A make that was killed never printed that it left its own folder.
    while folders[-1] != folder:
        folders.pop()

    folders.pop()


def _join_continued_lines(text: str) -> Iterator[str]:
    """Yield the lines, joined to the next where they end in a backslash."""
    pending = ""
    for line in text.splitlines():
        if line.endswith("\\") and len(pending) <= _MAX_LINE_LENGTH:
            pending += line[:-1] + " "
        else:
            yield pending + line
            pending = ""

    if pending:
        yield pending


def _iter_line_entries(line: str, folder: str) -> Iterator[DatabaseEntry]:
    for command in _iter_simple_commands(line):
        words = _remove_launchers(command)
        if not words:
            continue

        # `cd src && nvcc …` holds for the rest of the line alone.
        if words[0] == "cd" and len(words) == 2:
            entered_folder = posixpath.join(folder, words[1])
            folder = posixpath.normpath(entered_folder)
            continue

        # A project may call its compiler by any name, such as `$(MYNVCC) -c`.
        if is_compiler(words[0]) or "-c" in words:
            yield from iter_source_entries(words, folder)


def _iter_simple_commands(line: str) -> Iterator[list[str]]:
    """Split a shell line into its simple commands; a line with open quotes has none."""
    text = _COMMAND_SUBSTITUTION.sub("", line)
    lexer = shlex.shlex(
        text,
        posix=True,
        punctuation_chars=True,
    )

    lexer.whitespace_split = True
    lexer.commenters = ""

    try:
        words = iter(list(lexer))
    except ValueError:
        return

    command: list[str] = []
    for word in words:
        if word in _SHELL_OPERATORS:
            yield command
            command = []
        elif _REDIRECTION.fullmatch(word):
            # The next word is the file that is redirected to.
            next(words, "")
        else:
            command.append(word)

    yield command


def _remove_launchers(words: Sequence[str]) -> list[str]:
    """Return the words from the program on: `if CUDA=1 ccache nvcc …` calls `nvcc`."""
    for index, word in enumerate(words):
        if not _is_in_front_of_program(word):
            return list(words[index:])

    return []


def _is_in_front_of_program(word: str) -> bool:
    if word in _SHELL_KEYWORDS or posixpath.basename(word) in _LAUNCHERS:
        return True

    return _ASSIGNMENT.fullmatch(word) is not None
