"""Find and remove the CMake call that ended a configure run."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final

_AT: Final = re.compile(
    r"^(?:CMake Error at | {2})(/?[^\n:]{1,400}):(\d{1,7}) \((\w+)\)", re.MULTILINE
)
_ERROR: Final = re.compile(
    r"^CMake Error at .*?(?=\n\n\n|\nCMake |\Z)", re.MULTILINE | re.DOTALL
)
_MOST: Final = 50
_QUOTED: Final = re.compile(
    r'#\[(=*)\[.*?\]\1\]|\[(=*)\[.*?\]\2\]|#[^\n]*|"(?:[^"\\]|\\.)*"|[()]', re.DOTALL
)
# a call that opens or closes a block cannot go alone
_BLOCKS: Final = frozenset(
    {
        "elseif",
        "else",
        "endif",
        "foreach",
        "endforeach",
        "while",
        "endwhile",
        "function",
        "endfunction",
    }
    | {"macro", "endmacro", "block", "endblock", "project", "cmake_minimum_required"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCall:
    """A call of a file of the tree that CMake names in its error."""

    path: str
    line: int
    command: str


def find_failed_calls(log: str, folder: str, root: str) -> tuple[FailedCall, ...]:
    """Find the innermost call of the tree in each error that a run of `folder` told."""
    found = (_innermost(error, folder, root) for error in _ERROR.findall(log)[:_MOST])
    return tuple(dict.fromkeys(call for call in found if call))


def _innermost(error: str, folder: str, root: str) -> FailedCall | None:
    for path, line, command in _AT.findall(error):
        absolute = posixpath.normpath(posixpath.join(folder, path))
        if absolute.startswith(root + "/") and command.lower() not in _BLOCKS:
            return FailedCall(
                path=absolute[len(root) + 1 :], line=int(line), command=command
            )
    return None


def remove_call(text: str, line: int, command: str) -> str:
    """Return the text without the call that begins on a line; the number of its lines stays."""
    start = sum(map(len, text.splitlines(keepends=True)[: line - 1]))
    opening = re.compile(rf"{re.escape(command)}[ \t]*(?=\()", re.IGNORECASE).search(
        text, start
    )
    if opening is None or "\n" in text[start : opening.start()]:
        return text
    depth = 0
    for word in _QUOTED.finditer(text, opening.end()):
        depth += {"(": 1, ")": -1}.get(word.group(), 0)
        if depth == 0 and word.group() == ")":
            lines = "\n" * text.count("\n", opening.start(), word.end())
            stays = "if(FALSE)" if command.lower() == "if" else ""
            return text[: opening.start()] + stays + lines + text[word.end() :]
    return text
