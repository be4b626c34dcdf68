"""Preprocessed sources of a program as host C++ whose kernels run on the CPU model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.validate.emulator.source.host_overloads import drop_host_overloads
from crawler.validate.emulator.source.inline_assembly import replace_inline_assembly
from crawler.validate.emulator.source.internal_functions import keep_functions_internal
from crawler.validate.emulator.source.program_source import bind_dynamic_shared_memory
from crawler.validate.programs.host_build.kernel_addresses import (
    keep_kernel_types,
    list_kernel_names,
)
from crawler.validate.programs.host_build.kernel_heads import name_parameters
from crawler.validate.programs.host_build.launch_calls import replace_launches
from crawler.validate.programs.host_build.line_markers import (
    SourceRegion,
    split_by_file,
    split_by_origin,
)
from crawler.validate.programs.host_build.named_launches import spell_out_launches
from crawler.validate.programs.host_build.spaced_chevrons import join_spaced_chevrons

_SHARED: Final = 'static __attribute__((section("ks_shared"), used))'
# preprocessed text of no project, megabytes of it: these words alone are in a compiler's way
_SIDES: Final = re.compile(r"\b__(?:host|device|global)__\b")
_SHARED_WORD: Final = re.compile(r"\b__shared__\b")
_MACRO_VALUES: Final = {
    **{
        f"__ATOMIC_{order}": str(value)
        for value, order in enumerate(
            ("RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
        )
    },
    "__HIP_MEMORY_SCOPE_WORKGROUP": "3",
    "__HIP_MEMORY_SCOPE_AGENT": "4",
    "__HIP_MEMORY_SCOPE_SYSTEM": "5",
    "__builtin_amdgcn_endpgm()": (
        "::kernelset::find_and_end(::kernelset::Kind::unsupported, __builtin_LINE())"
    ),
}
"""Macros in what assembly is replaced by: the preprocessor has been here already."""
# the C++ that assembly is replaced by
_MACRO: Final = re.compile(
    r"\b__(?:ATOMIC|HIP_MEMORY_SCOPE)_[A-Z_]+\b|\b__builtin_amdgcn_endpgm\(\)"
)
_LAUNCHERS: Final = frozenset(
    {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernel"}
)
# what hides the type of the kernel that is launched by its address
_ADDRESS_CAST: Final = re.compile(
    r"\A\s*(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)"
    r"|(?:reinterpret_cast|static_cast)\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>)"
)
_RELOCATABLE_WORDS: Final = frozenset({"-D__CUDACC_RDC__", "-fgpu-rdc"})
"""What nvcc's `-rdc=true` and `-dc` mean to a preprocessor, and clang's own word."""
_LAUNCH_SIGN: Final = "<<<"
_MAX_HEADER_LENGTH: Final = 1 << 20
"""Characters of a header with launches: it is read token by token."""
_MAX_HEAD_TOKENS: Final = 5000
"""Of a kernel's head, or of a call: whoever never closes a bracket must not cost the whole text
for each.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPlace:
    """Where a definition of a kernel says `__global__`."""

    path: str
    """As the preprocessor names the file."""
    line: int


NumberKernel = Callable[[KernelPlace], int]
"""The number of a kernel in a program, the same in each of its sources."""


def translate_source(
    preprocessed: str, number_kernel: NumberKernel, *, is_whole: bool = False
) -> str:
    """Return a preprocessed source as host C++; its kernels say their numbers when they begin.

    Of one that `is_whole`, no other source calls functions for devices.
    """
    kernel_names: set[str] = set()
    return "".join(
        _translate_system(region.text)
        if region.is_system
        else _translate_region(region, number_kernel, kernel_names, is_whole=is_whole)
        for region in split_by_origin(preprocessed)
    )


def is_whole_source(arguments: Sequence[str]) -> bool:
    """Tell whether a build that compiles with these words links no device code."""
    return _RELOCATABLE_WORDS.isdisjoint(arguments)


def _translate_system(text: str) -> str:
    """Return what is no project's: its launches become calls, and the words for sides and memory
    have to go.
    """
    if _LAUNCH_SIGN in text:
        text = "".join(map(_replace_system_launches, split_by_file(text)))

    return _drop_sides(text)


def _replace_system_launches(text: str) -> str:
    """Return what one header says with its launches as calls: PyTorch's own have a few."""
    if _LAUNCH_SIGN not in text or len(text) > _MAX_HEADER_LENGTH:
        return text

    return join_tokens(replace_launches(list(tokenize(text))))


def _drop_sides(text: str) -> str:
    return _SHARED_WORD.sub(_SHARED, _SIDES.sub("", text))


def _translate_region(
    region: SourceRegion,
    number_kernel: NumberKernel,
    kernel_names: set[str],
    *,
    is_whole: bool,
) -> str:
    """Return a project's part; `kernel_names` are those of the parts before, and then its own."""
    text = replace_inline_assembly(drop_host_overloads(region.text))
    text = _MACRO.sub(lambda match: _MACRO_VALUES.get(match[0], match[0]), text)
    tokens = list(tokenize(text))
    tokens = _enter_kernels(tokens, region, number_kernel)
    tokens = _uncover_kernel_addresses(tokens)
    kernel_names.update(list_kernel_names(tokens))
    tokens = keep_kernel_types(tokens, kernel_names)
    tokens = join_spaced_chevrons(spell_out_launches(tokens))
    tokens = replace_launches(tokens)
    if is_whole:
        tokens = keep_functions_internal(tokens)
    text = join_tokens(bind_dynamic_shared_memory(tokens))

    return _drop_sides(text)


def _enter_kernels(
    tokens: Sequence[Token], region: SourceRegion, number_kernel: NumberKernel
) -> list[Token]:
    """Let the body of each kernel say its number first."""
    entered = list(tokens)

    for position, token in enumerate(tokens):
        if token.text != "__global__":
            continue

        body = _find_body(tokens, position)
        if body < 0:
            continue

        path, line = region.find_place(token.line)
        number = number_kernel(KernelPlace(path=path, line=line))
        parameters = name_parameters(entered, position, body) or []
        entry = _render_entry(number, parameters)
        entered[body] = entered[body]._replace(text=f"{{ {entry}")

    return entered


def _render_entry(number: int, parameters: Sequence[str]) -> str:
    """Return the statements that a kernel begins with: its first thread says what it is given."""
    arguments = ", ".join([str(number), "__PRETTY_FUNCTION__", *parameters])
    return (
        f"if (::kernelset::entered_kernel < 0) ::kernelset::enter_kernel({arguments});"
        " if (::kernelset::is_skipped) return;"
    )


def _find_body(tokens: Sequence[Token], begin: int) -> int:
    """Return the position of the brace that opens a function's body, -1 for a declaration."""
    position = begin

    while position < min(begin + _MAX_HEAD_TOKENS, len(tokens)):
        text = tokens[position].text
        if text == "{":
            return position
        if text in (";", "}"):
            return -1
        if text in ("(", "["):
            closing = closing_token(tokens, position, begin + _MAX_HEAD_TOKENS)
            if closing < 0:
                return -1
            position = closing

        position += 1

    return -1


def _uncover_kernel_addresses(tokens: Sequence[Token]) -> list[Token]:
    """Return `tokens` with kernels launched by address as functions again, not as `void*`."""
    uncovered = list(tokens)

    for position, token in enumerate(tokens):
        if token.text not in _LAUNCHERS or position + 1 >= len(tokens):
            continue
        if tokens[position + 1].text != "(":
            continue

        end = closing_token(tokens, position + 1, position + _MAX_HEAD_TOKENS)
        text = join_tokens(tokens[position + 2 : end]) if end > 0 else ""
        without_cast = _ADDRESS_CAST.sub("", text, count=1)
        if without_cast != text:
            uncovered[position + 2 : end] = [
                Token(TokenKind.PUNCTUATION, "", token.line)
            ] * (end - position - 2)
            uncovered[position + 2] = Token(
                TokenKind.PUNCTUATION, without_cast, token.line
            )

    return uncovered
