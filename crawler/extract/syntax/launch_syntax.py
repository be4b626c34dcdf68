"""Parse launches as written: `<<<…>>>` and the launch calls of the runtimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crawler.cpp.arguments import split_argument_texts, split_tokens
from crawler.cpp.brackets import skip_angles_backwards
from crawler.cpp.lexer import TokenKind
from crawler.cpp.source_text import Lexeme, SourceText, cache_per_source
from crawler.model import Span

_LONGEST: Final = 2_000
_CASTS: Final = frozenset(
    {
        "void",
        "const",
        "reinterpret_cast",
        "static_cast",
        "HIP_KERNEL_NAME",
        "KERNEL_NAME",
    }
)


class _Form(NamedTuple):
    """Positions of the parts of a launching call; its arguments follow `first`, or lie in the
    array there.
    """

    kernel: int
    grid: tuple[int, int]
    block: tuple[int, int]
    shared: int
    stream: int
    first: int
    by_array: bool = False


_GENERIC: Final = _Form(0, (1, 2), (2, 3), 3, 4, 5)
_RUNTIME: Final = _Form(0, (1, 2), (2, 3), 4, 5, 3, by_array=True)
_DRIVER: Final = _Form(0, (1, 4), (4, 7), 7, 8, 9, by_array=True)
LAUNCH_CALLS: Final = {
    "hipLaunchKernelGGL": _GENERIC,
    "hipExtLaunchKernelGGL": _GENERIC._replace(first=8),
    **dict.fromkeys(("cudaLaunchKernel", "cudaLaunchCooperativeKernel"), _RUNTIME),
    **dict.fromkeys(
        ("hipLaunchKernel", "hipLaunchCooperativeKernel", "hipExtLaunchKernel"),
        _RUNTIME,
    ),
    **dict.fromkeys(("cuLaunchKernel", "cuLaunchCooperativeKernel"), _DRIVER),
    **dict.fromkeys(
        (
            "hipModuleLaunchKernel",
            "hipModuleLaunchCooperativeKernel",
            "hipExtModuleLaunchKernel",
        ),
        _DRIVER,
    ),
}
"""Where kernel, configuration and arguments stand in each launching call."""
STRUCT_LAUNCH_CALLS: Final = {
    "cudaLaunchKernelEx": False,
    "cudaLaunchKernelExC": True,
    "hipLaunchKernelEx": False,
    "hipLaunchKernelExC": True,
    "cuLaunchKernelEx": True,
    "hipDrvLaunchKernelEx": True,
}
"""Calls that take a structure for the configuration, and whether the arguments lie in an array."""


@dataclass(frozen=True, slots=True)
class LaunchText:
    """A launch as it stands in a file."""

    name: str
    start: int
    configuration_start: int
    """Offset of its `<<<`."""
    end: int
    template_arguments: tuple[str, ...]
    arguments: tuple[str, ...]
    grid: str
    block: str
    shared_bytes: str
    stream: str
    is_in_macro: bool = False
    config_variable: str = ""
    """The structure that holds the configuration, where one does."""
    argument_array: str = ""
    """The array of addresses that holds the arguments, where one does."""
    callee: str = ""
    """What stands in the kernel's place, as written."""
    macro_span: Span | None = None
    """Where the launch stands in the macro that makes it."""
    preceding_text: str = ""
    """For a launch that a macro makes: what stands in the macro in front of it."""


@cache_per_source
def find_launches(source: SourceText) -> tuple[LaunchText, ...]:
    """Return the launches of a file, those in macro bodies too."""
    return parse_launches(source)


def parse_launches(source: SourceText) -> tuple[LaunchText, ...]:
    """Return the launches of a text."""
    raw = source.raw
    if "<<<" not in raw and "Launch" not in raw:
        return ()
    lexemes = source.lexemes
    found = [
        _launch(source, lexemes, at)
        for at, lexeme in enumerate(lexemes)
        if lexeme.text == "<<<"
    ]
    found += [
        _call(source, lexemes, at)
        for at, lexeme in enumerate(lexemes)
        if lexeme.text in LAUNCH_CALLS
    ]
    found += [
        _extended(source, lexemes, at)
        for at, lexeme in enumerate(lexemes)
        if lexeme.text in STRUCT_LAUNCH_CALLS
    ]
    return tuple(launch for launch in found if launch is not None)


def _launch(
    source: SourceText, lexemes: Sequence[Lexeme], at: int
) -> LaunchText | None:
    closed = _closing_chevrons(lexemes, at)
    if closed < 0 or at == 0:
        return None
    first, template_arguments = _callee(source, lexemes, at)
    configuration = split_argument_texts(source, lexemes[at + 1 : closed])
    if first is None or not configuration:
        return None
    opening = closed + 1
    end = _closing_call(source, opening)
    arguments = (
        split_argument_texts(source, lexemes[opening + 1 : end]) if end > 0 else ()
    )
    # one part alone is a macro that stands for all of them
    padded = (*configuration, *("", "", "0", "0")[len(configuration) :])
    return LaunchText(
        name=lexemes[first].text,
        start=lexemes[_qualified(lexemes, first)].offset,
        configuration_start=lexemes[at].offset,
        end=lexemes[end].end if end > 0 else lexemes[closed].end,
        template_arguments=template_arguments,
        arguments=arguments,
        grid=padded[0],
        block=padded[1],
        shared_bytes=padded[2],
        stream=padded[3],
        is_in_macro=lexemes[at].directive == "define",
        callee=_text(source, lexemes[_qualified(lexemes, first) : at]),
    )


def _call(source: SourceText, lexemes: Sequence[Lexeme], at: int) -> LaunchText | None:
    """Return a launch that is written as a call, such as `hipLaunchKernelGGL(kernel, grid,
    block, 0, stream, …)`.
    """
    parts, end = _parts(source, at)
    form = LAUNCH_CALLS[lexemes[at].text]
    name = _kernel_name(parts[form.kernel]) if len(parts) > form.shared else None
    if name is None:
        return None
    texts = [_text(source, part) for part in parts]
    passed = [text for text in texts[form.first :] if text]
    return LaunchText(
        name=name.text,
        start=lexemes[at].offset,
        configuration_start=parts[form.kernel][-1].end,
        end=lexemes[end].end,
        template_arguments=(),
        arguments=() if form.by_array else tuple(passed),
        grid=", ".join(texts[slice(*form.grid)]),
        block=", ".join(texts[slice(*form.block)]),
        shared_bytes=texts[form.shared],
        stream=texts[form.stream] if len(texts) > form.stream else "0",
        is_in_macro=lexemes[at].directive == "define",
        argument_array=_last_name(parts[form.first])
        if form.by_array and len(parts) > form.first
        else "",
        callee=texts[form.kernel],
    )


def _extended(
    source: SourceText, lexemes: Sequence[Lexeme], at: int
) -> LaunchText | None:
    """Return a launch whose configuration stands in a structure: `cudaLaunchKernelEx(&config,
    kernel, …)`.
    """
    parts, end = _parts(source, at)
    name = _kernel_name(parts[1]) if len(parts) > 1 and parts[0] else None
    if name is None:
        return None
    config = _text(source, parts[0]).removeprefix("&").strip()
    by_array = STRUCT_LAUNCH_CALLS[lexemes[at].text]
    passed = (
        () if by_array else tuple(_text(source, part) for part in parts[2:] if part)
    )
    return LaunchText(
        name=name.text,
        start=lexemes[at].offset,
        configuration_start=parts[1][-1].end,
        end=lexemes[end].end,
        template_arguments=(),
        arguments=passed,
        grid=f"{config}.gridDim",
        block=f"{config}.blockDim",
        shared_bytes=f"{config}.dynamicSmemBytes",
        stream=f"{config}.stream",
        is_in_macro=lexemes[at].directive == "define",
        config_variable=config,
        argument_array=_last_name(parts[2]) if by_array and len(parts) > 2 else "",
        callee=_text(source, parts[1]),
    )


def _text(source: SourceText, part: Sequence[Lexeme]) -> str:
    return source.text_between(part[0].offset, part[-1].end).strip() if part else ""


def _last_name(part: Sequence[Lexeme]) -> str:
    return next(
        (lexeme.text for lexeme in reversed(part) if lexeme.kind is TokenKind.NAME), ""
    )


def _parts(source: SourceText, at: int) -> tuple[list[list[Lexeme]], int]:
    """Return the tokens of each argument of the call at `at`, and the position of its closing
    parenthesis.
    """
    end = _closing_call(source, at + 1)
    return (
        (split_tokens(source.lexemes[at + 2 : end], angles=True), end)
        if end > 0
        else ([], -1)
    )


def _closing_call(source: SourceText, opening: int) -> int:
    """Return the position of the parenthesis that closes the arguments which `opening` begins,
    or -1.
    """
    if opening >= len(source.lexemes) or source.lexemes[opening].text != "(":
        return -1
    end = source.find_closing_bracket(opening)
    return end if end - opening <= _LONGEST else -1


def _kernel_name(part: Sequence[Lexeme]) -> Lexeme | None:
    """Return the name of a kernel out of casts, parentheses and template arguments round it."""
    depth, found = 0, None
    for lexeme in part:
        depth += (lexeme.text == "<") - (lexeme.text == ">")
        if depth == 0 and lexeme.kind is TokenKind.NAME and lexeme.text not in _CASTS:
            found = lexeme
    return found


def _closing_chevrons(lexemes: Sequence[Lexeme], at: int) -> int:
    depth = 0
    for position in range(at + 1, min(len(lexemes), at + _LONGEST)):
        text = lexemes[position].text
        depth += (text in "([{") - (text in (")", "]", "}"))
        if depth < 0 or text == ";":
            return -1
        if depth == 0 and text == ">>>":
            return position
    return -1


def _callee(
    source: SourceText, lexemes: Sequence[Lexeme], at: int
) -> tuple[int | None, tuple[str, ...]]:
    """Return the position of the name in front of `<<<`, and its template arguments."""
    before = at - 1
    if lexemes[before].text in (")", "]"):
        opening = _opening(source, before)
        if lexemes[before].text == "]":
            return _callee(source, lexemes, opening) if opening > 0 else (None, ())
        name = _kernel_name(lexemes[opening + 1 : before]) if opening >= 0 else None
        return (None, ()) if name is None else (source.lexeme_index(name.offset), ())
    if lexemes[before].text == ">":
        named = skip_angles_backwards(lexemes, before)
        if lexemes[named].kind is not TokenKind.NAME:
            return None, ()
        return named, split_argument_texts(source, lexemes[named + 2 : before])
    return (before, ()) if lexemes[before].kind is TokenKind.NAME else (None, ())


def _opening(source: SourceText, closed: int) -> int:
    first = max(0, closed - _LONGEST)
    return next(
        (
            at
            for at in range(closed, first, -1)
            if source.closing_brackets.get(at) == closed
        ),
        -1,
    )


def _qualified(lexemes: Sequence[Lexeme], name: int) -> int:
    while (
        name >= 2
        and lexemes[name - 1].text in ("::", ".", "->", "##")
        and lexemes[name - 2].kind is TokenKind.NAME
    ):
        name -= 2
    return name
