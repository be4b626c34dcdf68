"""Which function of a project launches a kernel and can be called, and the program that does so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import takewhile
from typing import Final

from crawler.cpp.identifiers import QUALIFIED_NAME
from crawler.cpp.lexer import TokenKind, drop_blanks_and_comments, tokenize
from crawler.model import CompileCommand, HostCode, Kernel, OperatorRole
from crawler.validate.launchers.compared_numbers import (
    ComparedNumbers,
    find_compared_numbers,
)
from crawler.validate.launchers.launcher_instantiation import find_template_arguments
from crawler.validate.programs.host_build.host_compiler import CHECKOUT

_CALLED_ROLES: Final = (OperatorRole.LAUNCHER, OperatorRole.DISPATCHER)
"""The innermost first: what it is given is what the kernel is given."""
_ARGUMENT_WORDS: Final = frozenset({"Tensor", "vector", "*", "&"})
"""What memory may be passed as."""
_SOURCE_SUFFIXES: Final = (".cu", ".hip", ".cpp", ".cc", ".cxx")
# one string literal
_WORD: Final = re.compile(r'"([A-Za-z_]\w{0,23})"', re.ASCII)
_PYTHON: Final = ".py"
_MAX_NUMBERS: Final = 8
_MAX_WORDS: Final = 24
_MAX_SIZE: Final = 4096
"""A tensor with a longer side is seldom asked for by a check, and costs much."""
_UNNAMED: Final = "(anonymous namespace)::"


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherSource:
    """A function that launches a kernel, in a source that is compiled by itself."""

    command: CompileCommand
    """Of the source."""
    name: str
    """Of the function, qualified, with the arguments of a template."""
    numbers: tuple[int, ...] = ()
    """That stand in the function: its checks may ask for sizes by them."""
    words: tuple[str, ...] = ()
    """That stand in the function or in what it names: arguments may be chosen among them."""
    host_path: str = ""
    """The function of the same source that does the same for tensors of a CPU; empty where there
    is none but the launcher itself.
    """
    compared: ComparedNumbers = field(default=ComparedNumbers(), compare=False)
    """What the kernel that it is called for compares with: a launcher of several is called once."""


def find_launcher(
    commands: Sequence[CompileCommand], kernel: Kernel
) -> LauncherSource | None:
    """Return a function that takes tensors or pointers and launches `kernel`; `None` where none
    can be called by its name.
    """
    command_by_file = {command.file: command for command in commands}
    for code in _iter_callable(kernel):
        command = command_by_file.get(code.span.path)
        if command is not None and _can_be_included(command.file):
            return LauncherSource(
                command=command,
                name=_strip_unnamed(code.name) + find_template_arguments(kernel, code),
                numbers=list_numbers(code.source),
                words=list_words([code.source, *_iter_named_sources(kernel)]),
                host_path=_find_host_path(kernel, command.file),
                compared=find_compared_numbers(_get_device_text(kernel)),
            )

    return None


class CalledTypes(IntEnum):
    """Which of the types that a dispatch of the source names its kernels are compiled for."""

    FIRST = 1
    """Those that calls are tried with first: `float`, or `int` and `int64_t`, or `half`."""
    ALL = 2
    """All that tensors of a call may have."""


def render_launcher_program(
    source: LauncherSource, types: CalledTypes = CalledTypes.ALL
) -> str:
    """Return the text of a program that calls a launcher: its source, and a `main` behind it."""
    name = source.name
    numbers = ", ".join(map(str, source.numbers))
    words = ", ".join(f'"{word}"' for word in source.words)
    compared = ", ".join(map(str, source.compared.values))
    are_letters = str(source.compared.are_letters).lower()
    host_path = f", &::{source.host_path}" if source.host_path else ""
    call = (
        f'kernelset::torch_calls::drive(&::{name}, "{name}", {{{numbers}}}, {{{words}}},'
        f" {{{compared}}}, {are_letters}{host_path})"
    )
    text = f'#include "{CHECKOUT}/{source.command.file}"\n'
    calls = "#include <torch/extension.h>\n#include <kernelset/torch_calls/calls.h>\n"
    return (
        f"#define KERNELSET_CALLED_TYPES {types:d}\n"
        "#include <kernelset/torch_calls/checks.h>\n"
        # a macro of the source, such as `N`, is not to reach our headers; nor would these be
        # compiled once for all sources behind it
        f"{calls}{text}"
        f"int main() {{ return {call}; }}\n"
    )


def list_numbers(text: str) -> tuple[int, ...]:
    """Return the first few different numbers of `text` that a size may be asked to be."""
    spelled = dict.fromkeys(
        token.text for token in tokenize(text) if token.kind is TokenKind.NUMBER
    )
    numbers = [int(word) for word in spelled if word.isdecimal() and word.isascii()]
    return tuple(number for number in numbers if 1 < number <= _MAX_SIZE)[:_MAX_NUMBERS]


def list_words(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the first few different words that are whole string literals in `texts`."""
    literals = dict.fromkeys(
        token.text
        for text in texts
        for token in tokenize(text)
        if token.kind is TokenKind.STRING
    )
    matches = filter(None, map(_WORD.fullmatch, literals))
    return tuple(matched[1] for matched in matches)[:_MAX_WORDS]


def _get_device_text(kernel: Kernel) -> str:
    """Return the kernel with the functions that it calls; itself where it has no unit."""
    return kernel.source if kernel.unit is None else kernel.unit.source


def _iter_named_sources(kernel: Kernel) -> Iterator[str]:
    """Yield what the kernel's host code names: tables of words, and functions that read them."""
    for companion in kernel.companions:
        if not companion.span.path.endswith(_PYTHON):
            yield companion.source


def _can_be_included(file: str) -> bool:
    # an `#include` has no escapes: a name with a quote in it would end it, and code could follow
    is_quotable = not any(sign in file for sign in '"\r\n')
    return is_quotable and file.endswith(_SOURCE_SUFFIXES)


def _iter_callable(kernel: Kernel) -> Iterator[HostCode]:
    """Yield what can be called, templates last: what calls those says with what."""
    templates: list[HostCode] = []
    for role in _CALLED_ROLES:
        for code in kernel.host:
            if code.role is not role or not _is_plain_name(code.name):
                continue

            words = _list_head_words(code.source)
            if _ARGUMENT_WORDS.isdisjoint(words):
                continue
            if words[0] == "template":
                templates.append(code)
            else:
                yield code

    for code in templates:
        if find_template_arguments(kernel, code):
            yield code


def _find_host_path(kernel: Kernel, file: str) -> str:
    """Return the only function of `file` that the kernel's operators have for a CPU; empty where
    there is none, or a template.
    """
    names = [
        _strip_unnamed(code.name)
        for code in kernel.host
        if code.role is OperatorRole.CPU
        and code.span.path == file
        and _is_plain_name(code.name)
        and _list_head_words(code.source)[0] != "template"
    ]
    return names[0] if len(names) == 1 else ""


def _list_head_words(source: str) -> list[str]:
    """Return the tokens of a function in front of its body, without its comments."""
    tokens = drop_blanks_and_comments(tokenize(source))
    words = (token.text for token in tokens)
    return list(takewhile(lambda word: word != "{", words))


def _is_plain_name(name: str) -> bool:
    return QUALIFIED_NAME.fullmatch(_strip_unnamed(name)) is not None


def _strip_unnamed(name: str) -> str:
    # what an unnamed namespace holds is found without it
    return name.replace(_UNNAMED, "")
