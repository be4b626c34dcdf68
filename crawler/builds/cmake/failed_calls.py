"""Find and remove the CMake call that ended a configure run."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final

# The place of a call in an error and in the call stack below it:
# "CMake Error at cmake/cuda.cmake:12 (find_package):" and "  CMakeLists.txt:4 (include)".
_CALL_PLACE: Final = re.compile(
    r"^(?:CMake Error at | {2})(/?[^\n:]{1,400}):(\d{1,7}) \((\w+)\)", re.MULTILINE
)
_ERROR: Final = re.compile(
    r"^CMake Error at .*?(?=\n\n\n|\nCMake |\Z)", re.MULTILINE | re.DOTALL
)
_MAX_ERRORS: Final = 50
# A parenthesis, or the begin of a bracket comment, a bracket argument, a comment or a
# quoted argument.
_TOKEN: Final = re.compile(r'#?\[(?P<level>=*)\[|[#"()]')
_QUOTED_REST: Final = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)
# Calls that open or close a block, which cannot be removed alone, and the calls that CMake
# demands of every project.
_INDISPENSABLE_CALLS: Final = frozenset(
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
        "macro",
        "endmacro",
        "block",
        "endblock",
        "project",
        "cmake_minimum_required",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCall:
    """A call in a file of the checkout that CMake names in an error."""

    path: str
    line: int
    command: str


def find_failed_calls(log: str, folder: str, root: str) -> tuple[FailedCall, ...]:
    """Return the innermost call of the checkout in each error that CMake printed.

    `folder` is the folder that was configured, and `root` the root of the checkout, both as
    they are mounted.
    """
    calls: dict[FailedCall, None] = {}
    for error in _ERROR.findall(log)[:_MAX_ERRORS]:
        call = _find_innermost_call(error, folder, root)
        if call is not None:
            calls[call] = None

    return tuple(calls)


def _find_innermost_call(error: str, folder: str, root: str) -> FailedCall | None:
    # CMake prints the innermost call first. It may be in a file of CMake itself.
    for path, line, command in _CALL_PLACE.findall(error):
        absolute_path = posixpath.normpath(posixpath.join(folder, path))
        if not absolute_path.startswith(root + "/"):
            continue
        if command.lower() in _INDISPENSABLE_CALLS:
            continue

        return FailedCall(
            path=absolute_path[len(root) + 1 :],
            line=int(line),
            command=command,
        )

    return None


def remove_call(text: str, line: int, command: str) -> str:
    """Return the text without the call that begins on a line; line numbers stay the same."""
    # CMake counts lines from 1.
    lines_before = text.splitlines(keepends=True)[: line - 1]
    line_start = sum(map(len, lines_before))

    head = re.compile(rf"{re.escape(command)}[ \t]*(?=\()", re.IGNORECASE)
    opening = head.search(text, line_start)
    # A call of the same command further down is another call.
    if opening is None or "\n" in text[line_start : opening.start()]:
        return text

    call_start = opening.start()
    call_end = _find_closing_parenthesis(text, opening.end())
    if call_end is None:
        return text

    # An `if` still needs the block that its `endif` closes.
    replacement = "if(FALSE)" if command.lower() == "if" else ""
    # Later errors name lines of the text as it was, and so do our logs.
    line_breaks = "\n" * text.count("\n", call_start, call_end)

    return text[:call_start] + replacement + line_breaks + text[call_end:]


def _find_closing_parenthesis(text: str, start: int) -> int | None:
    """Return the end of the call whose parenthesis opens at `start`, `None` where it is open."""
    literals = _Literals(text)
    depth = 0
    token = _TOKEN.search(text, start)

    while token is not None:
        position = token.end()
        if token.group() == "(":
            depth += 1
        elif token.group() == ")":
            depth -= 1
            if depth == 0:
                return position
        else:
            position = literals.find_end(token)

        token = _TOKEN.search(text, position)

    return None


class _Literals:
    """Finds where comments, bracket arguments and quoted arguments end.

    It remembers what never closes: a file of a thousand open brackets is searched once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed: set[str] = set()

    def find_end(self, token: re.Match[str]) -> int:
        """Return the end of what begins with a token, where it closes.

        An open comment ends with its line; another open begin stands for itself.
        """
        opening = token.group()
        end = None
        if opening == '"':
            end = self._find_quote_end(token.end())
        elif token["level"] is not None:
            end = self._find_bracket_end(token["level"], token.end())

        if end is not None:
            return end
        if not opening.startswith("#"):
            return token.start() + 1

        line_end = self._text.find("\n", token.start())

        return len(self._text) if line_end < 0 else line_end

    def _find_quote_end(self, start: int) -> int | None:
        if '"' in self._unclosed:
            return None

        rest = _QUOTED_REST.match(self._text, start)
        if rest is None:
            self._unclosed.add('"')
            return None

        return rest.end()

    def _find_bracket_end(self, level: str, start: int) -> int | None:
        closing = f"]{level}]"
        if closing in self._unclosed:
            return None

        position = self._text.find(closing, start)
        if position < 0:
            self._unclosed.add(closing)
            return None

        return position + len(closing)
