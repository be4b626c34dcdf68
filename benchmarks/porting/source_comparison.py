"""Compare a port with the HIP version that its project has, by tokens, lines and compilation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler import process
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.model import Dialect
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.toolchains import compiler_messages

_COMPILED = (".cu", ".hip", ".cpp")


_LIMITS = Limits(seconds=60, memory_bytes=6 << 30)


_LAUNCH = ("hipLaunchKernelGGL", "hipLaunchKernel")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePair:
    """A file in CUDA that its project has in HIP, too, and how our port of it stands to that."""

    path: str
    is_identical: bool
    shared_line_ratio: float
    """Share of the lines of their HIP, blank ones left out, that stand in our port."""
    problems: dict[str, str]
    """First error of `ours` and `theirs`, for a file that is compiled by itself; empty where
    there is none.
    """


def compare_sources(
    ours: Path, theirs: Path, relative_path: Path, target: str, *, further_headers: Path
) -> SourcePair:
    """Compare two files in HIP, and compile both; what theirs lacks of headers may lie in
    `further_headers`.
    """
    our_text, their_text = (
        path.read_text("utf-8", "replace") for path in (ours, theirs)
    )
    compiled = relative_path.name.endswith(_COMPILED)
    our_lines = Counter(_list_lines(our_text))
    lines = _list_lines(their_text)
    return SourcePair(
        path=str(relative_path),
        is_identical=_normalise_tokens(our_text) == _normalise_tokens(their_text),
        shared_line_ratio=sum((Counter(lines) & our_lines).values())
        / max(1, len(lines)),
        problems={
            "ours": _find_problem(ours, target),
            "theirs": _find_problem(theirs, target, further_headers),
        }
        if compiled
        else {},
    )


def _normalise_tokens(text: str) -> list[str]:
    """Return the tokens without directives that include, and with launches as `<<<…>>>` has
    them.
    """
    tokens: list[str] = []
    for token in tokenize(text):
        if token.kind is TokenKind.HEADER:
            del tokens[-2:]
        elif token.kind not in (TokenKind.SPACE, TokenKind.COMMENT):
            tokens.append(token.text)
    return _normalise_launches(tokens)


def _normalise_launches(tokens: Sequence[str]) -> list[str]:
    """Return the tokens with every `hipLaunchKernelGGL(k, g, b, s, t, x)` as `k<<<g, b, s,
    t>>>(x)`.
    """
    text = "\0".join(tokens)
    for name in _LAUNCH:
        text = text.replace(f"{name}\0(\0", f"{name}\0")
    plain = [
        token
        for token in text.split("\0")
        if token not in (*_LAUNCH, "<<<", ">>>", "(", ")", ",", "dim3", "0")
    ]
    return [
        token
        for token in plain
        if token not in ("HIP_KERNEL_NAME", "cudaStreamDefault")
    ]


def _list_lines(text: str) -> list[str]:
    without = (
        re.sub(r"\s+", "", line)
        for line in text.splitlines()
        if not line.lstrip().startswith("#include")
    )
    return [line for line in without if line]


def _find_problem(path: Path, target: str, *further_headers: Path) -> str:
    clang = discovery.find_clang()
    assert clang is not None, "run deploy/bootstrap"
    flags = (
        *get_compile_flags(Dialect.HIP, target),
        "-nogpulib",
        f"-I{path.parent}",
        f"-I{path.parent.parent}",
    )
    flags += tuple(f"-idirafter{folder}" for folder in further_headers)
    quiet = (
        "-w",
        "-ferror-limit=3",
        "-fno-caret-diagnostics",
        "-fno-color-diagnostics",
        "-fsyntax-only",
    )
    ended = process.run([str(clang.path), *flags, *quiet, str(path)], limits=_LIMITS)
    if ended.exit_code == 0:
        return ""
    errors = (
        diagnostic
        for diagnostic in compiler_messages.parse_diagnostics(ended.text)
        if diagnostic.severity in ("error", "fatal")
    )
    first = next(errors, None)
    return (
        f"{Path(first.path).name}:{first.line}: {first.message}"
        if first
        else "the compiler ended without a message"
    )
