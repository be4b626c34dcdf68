"""Independent lexical count of launches, sharing no code with the product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

SUFFIXES: Final = frozenset(
    {
        ".cu",
        ".cuh",
        ".hip",
        ".c",
        ".cc",
        ".cpp",
        ".cxx",
        ".h",
        ".hh",
        ".hpp",
        ".hxx",
        ".inl",
        ".inc",
        ".ipp",
        ".tcc",
    }
)
_CALLS: Final = (
    r"hip(?:Ext)?LaunchKernelGGL|(?:cuda|hip)Launch(?:Cooperative)?Kernel(?:Ex|ExC|MultiDevice)?"
    r"|cuLaunch(?:Cooperative)?Kernel(?:Ex)?|hip(?:Ext)?Module(?:Launch|LaunchCooperative)Kernel"
)
_SCAN: Final = re.compile(
    r"(?P<blank>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)"
    r'|\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)'
    r"|\"(?:[^\"\\\n]|\\\r?\n|\\.)*\"?|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*'?)"
    r"|(?P<line>\r?\n[ \t]*(?P<hash>#(?:[ \t]|\\\r?\n)*(?P<word>\w*))?)"
    r"|(?P<splice>\\\r?\n)"
    rf"|(?P<launch>(?<!<)(?<!operator)<<[ \t]*<(?!<)|(?<!\w)(?:{_CALLS})"
    r"(?=(?:[ \t\r\n]|\\\r?\n)*\())",
    re.DOTALL,
)
_PARAMETER: Final = re.compile(
    r"\s*\(\s*(?:\.\.\.|(?:const\s+)?(?:void|dim3|CUfunction|\w+_t)\s*(?:\*\s*)?\w)"
)


class LaunchToken(NamedTuple):
    """A token that launches a kernel, and whether it stands in the body of a macro."""

    offset: int
    line: int
    text: str
    in_macro: bool


def find_launch_tokens(text: str) -> Iterator[LaunchToken]:
    """Yield the launch tokens outside of comments, strings, and directives other than `#define`."""
    directive, line, previous_start = "", 1, 0
    for match in _SCAN.finditer("\n" + text):
        line += text.count("\n", max(0, previous_start - 1), max(0, match.start() - 1))
        previous_start = match.start()
        if match["line"]:
            directive = (match["word"] or "#") if match["hash"] else ""
        elif match["launch"] and directive in ("", "define"):
            yield LaunchToken(
                match.start() - 1,
                line,
                "".join(match["launch"].split()),
                directive == "define",
            )


def is_declaration(text: str, token: LaunchToken) -> bool:
    """Tell whether a call's name is followed by parameters of a declaration rather than by
    arguments.
    """
    return (
        token.text != "<<<"
        and _PARAMETER.match(text, token.offset + len(token.text)) is not None
    )


def iter_launch_files(root: Path) -> Iterator[tuple[str, str, list[LaunchToken]]]:
    """Yield path, text (a character a byte) and tokens of each C-family file that holds one."""
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            if b"<<" in content or b"Launch" in content:
                text = content.decode("latin-1")
                tokens = [
                    token
                    for token in find_launch_tokens(text)
                    if not is_declaration(text, token)
                ]
                if tokens:
                    yield path.relative_to(root).as_posix(), text, tokens
