"""Count kernel definitions in a tree by their text alone, apart from everything the product does.

A figure for recall needs a truth that the product had no part in. This one reads no compiler's
mind: it blanks comments, literals, directives and `#if 0`, and takes each `__global__` whose head
reaches `{` before `;` for a definition, as the true list of the corpus was counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

SUFFIXES = frozenset(
    f".{word}"
    for words in ("c cc cpp cxx cu cuh hip", "h hh hpp hxx inc inl ipp tcc tpp")
    for word in words.split()
)
MAX_FILE_BYTES = 8_000_000
_LITERAL_OR_COMMENT = re.compile(
    r'R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
    r"|//(?:\\\n|[^\n])*|/\*.*?\*/",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)((?:\\\n|[^\n])*)", re.MULTILINE)
_ALIAS = re.compile(r"\s*(\w+)\s((?:\\\n|[^\n])*\b__global__\b(?:\\\n|[^\n])*)")
_HEAD_TOKEN = re.compile(r"[A-Za-z_]\w*|[(){};<>]")
_ATTRIBUTE = re.compile(
    r"__launch_bounds__|__attribute__|alignas|__align__|__cluster_dims__|__block_size__"
    r"|__maxnreg__|__declspec|decltype|enable_if_t"
)
"""Words whose parentheses are not those of a kernel's parameters."""
_MAX_HEAD_TOKENS = 2_000


def find_kernel_definitions(root: Path) -> set[tuple[str, str]]:
    """Return the pairs of path, relative to `root`, and kernel name that a tree defines."""
    aliases: set[str] = set()
    for _, text in _read_texts(root, {"__global__"}):
        aliases.update(_find_aliases(text))

    pairs: set[tuple[str, str]] = set()
    for path, text in _read_texts(root, {"__global__", *aliases}):
        pairs.update((path, name) for name in find_kernel_names(text, aliases))
    return pairs


def find_kernel_names(text: str, aliases: set[str] | frozenset[str]) -> Iterator[str]:
    """Yield the name of each kernel that a text defines; `aliases` are macros for `__global__`."""
    code = _blank_dead_code(_blank_literals(text))
    words = "|".join(["__global__", *sorted(map(re.escape, aliases))])
    for marker in re.finditer(rf"\b(?:{words})\b", code):
        name = _read_defined_name(code, marker.end())
        if name:
            yield name


def _read_texts(root: Path, words: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield path and text of each source below `root` that holds one of these words."""
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() not in SUFFIXES or path.is_symlink():
            continue
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            continue

        text = path.read_text("utf-8", "replace").replace("\r\n", "\n")
        if any(word in text for word in words):
            yield path.relative_to(root).as_posix(), text


def _find_aliases(text: str) -> Iterator[str]:
    """Yield the macros without parameters that stand for `__global__` and no whole kernel."""
    for directive in _DIRECTIVE.finditer(_blank_literals(text)):
        if directive[1] != "define":
            continue
        alias = _ALIAS.fullmatch(directive[2])
        if alias and "{" not in alias[2]:
            yield alias[1]


def _blank_literals(text: str) -> str:
    return _LITERAL_OR_COMMENT.sub(lambda match: _blank(match[0]), text)


def _blank_dead_code(code: str) -> str:
    """Blank directives, and what stands between `#if 0` and the end of that branch."""
    pieces = []
    position = 0
    dead_depth = 0
    for directive in _DIRECTIVE.finditer(code):
        live = code[position : directive.start()]
        pieces.append(_blank(live) if dead_depth else live)
        pieces.append(_blank(directive[0]))
        position = directive.end()

        word = directive[1]
        if dead_depth:
            if word.startswith("if"):
                dead_depth += 1
            elif word == "endif":
                dead_depth -= 1
            elif word.startswith("el") and dead_depth == 1:
                dead_depth = 0
        elif word == "if" and directive[2].strip() == "0":
            dead_depth = 1
    pieces.append(_blank(code[position:]) if dead_depth else code[position:])
    return "".join(pieces)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _read_defined_name(code: str, start: int) -> str:
    """Return the name in a head that reaches a body; empty where it only declares."""
    name = previous = before_angle = ""
    depth = angle_depth = 0
    for count, token in enumerate(_HEAD_TOKEN.finditer(code, start)):
        word = token[0]
        if count > _MAX_HEAD_TOKENS or (word == ";" and not depth):
            return ""
        if word == "{" and not depth:
            return name

        if word == "(":
            # The name of a specialisation has its arguments between itself and the parenthesis.
            named = before_angle if previous == ">" else previous
            # The last parentheses before the body are the parameters: a project's macro for
            # launch bounds may stand before them.
            if not depth and named.isidentifier() and not _ATTRIBUTE.fullmatch(named):
                name = named
            depth += 1
        elif word == ")":
            depth -= 1
        elif word == "<" and not depth:
            before_angle = previous if not angle_depth else before_angle
            angle_depth += 1
        elif word == ">" and not depth:
            angle_depth = max(0, angle_depth - 1)
        previous = word
    return ""
