"""Host C++ source of the program that a kernel unit becomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from crawler.cpp.brackets import ROUND, closing_token
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.model import KernelUnit
from crawler.validate.emulator.source.constant_probes import insert_constant_probes
from crawler.validate.emulator.source.constant_queries import ConstantQueries
from crawler.validate.emulator.source.host_overloads import drop_host_overloads
from crawler.validate.emulator.source.inline_assembly import (
    declares_amd_intrinsics,
    replace_inline_assembly,
)
from crawler.validate.toolchains.precompiled_headers import PRELUDE_PATTERN

# a line of our own making: units end with one for each instantiation
_INSTANTIATION: Final = re.compile(
    r"^template __global__ decltype\((?P<name>.+)\) (?P=name);$", re.MULTILINE
)
_MAX_DECLARATION_TOKENS: Final = 64
"""Tokens within which a declaration of dynamic shared memory must end."""
_DYNAMIC_MEMORY: Final = " = kernelset::Dynamic()"


def build_program_source(
    unit: KernelUnit,
    entry: int | None = None,
    *,
    describe: bool = True,
    queries: ConstantQueries | None = None,
) -> str:
    """Return the unit as a program of its kernels; each line of the unit keeps its number.

    With `entry` it holds that one instantiation, under the number that it has among all: the
    others cost time. Unless it is `describe`, it cannot tell what structures among its
    parameters hold. What that instantiation is `queries`, it answers.
    """
    entry_lines: list[str] = []

    for number, address in enumerate(list_kernel_addresses(unit)):
        # numbers of entries stay as they are, whichever of them is compiled
        is_included = entry is None or number == entry
        entry_lines.append(
            f"  KERNELSET_KERNEL({address})" if is_included else "  nullptr"
        )

    entries = ",\n".join(entry_lines)
    definitions = "" if describe else "#define KERNELSET_UNDESCRIBED 1\n"
    body = _build_body(unit, entry)

    if queries and entry is not None:
        entry_name = list_entry_names(unit)[entry]
        body, calls = insert_constant_probes(
            body, queries, unit.kernel_name, entry_name
        )
        if calls:
            definitions += f"#define KERNELSET_CONSTANTS {calls}\n"

    return (
        f"{body}\n{definitions}#include <kernelset/cpu/main.h>\n"
        f"KERNELSET_PROGRAM(\n{entries})\n"
    )


def build_object_source(unit: KernelUnit, entry: int | None = None) -> str:
    """Return the unit, or `entry` one of its instantiations, as a source that holds its kernels
    and no program.
    """
    addresses = list_kernel_addresses(unit)
    if entry is not None:
        addresses = (addresses[entry],)

    pointers = ", ".join(f"(void*)({address})" for address in addresses)

    return f"{_build_body(unit, entry)}\nvoid* kernelset_kept[] = {{{pointers}}};\n"


def _build_body(unit: KernelUnit, entry: int | None) -> str:
    if entry is None:
        return _translate_for_host(unit.source)
    return _translate_for_host(keep_single_instantiation(unit, entry))


@lru_cache(maxsize=2)
def _translate_for_host(source: str) -> str:
    """Return a source as C++ that a CPU runs; each of a trial's programs asks for the same, of
    megabytes maybe.
    """
    translated = _translate_assembly(drop_host_overloads(source))
    # over tokens: `extern __shared__` may stand in a macro's text, which no parser sees
    return join_tokens(bind_dynamic_shared_memory(tokenize(translated)))


def _translate_assembly(source: str) -> str:
    """Return the source with its inline assembly in C++, and behind its prelude what that needs."""
    translated = replace_inline_assembly(source)
    if translated == source:
        return source

    prelude = PRELUDE_PATTERN.match(translated)
    prelude_end = translated.find("\n", prelude.end()) if prelude else -1
    if prelude_end <= 0:
        return source

    header_names = ["ptx"]
    if declares_amd_intrinsics(translated):
        header_names.append("amd_buffer")

    includes = "".join(f"#include <kernelset/cpu/{name}.h>\n" for name in header_names)
    # messages of the compiler keep the lines of the unit
    next_line = translated.count("\n", 0, prelude_end) + 2

    return (
        f"{translated[:prelude_end]}\n{includes}#line {next_line}\n"
        f"{translated[prelude_end + 1 :]}"
    )


def list_entry_names(unit: KernelUnit) -> tuple[str, ...]:
    """Return how the unit's kernels are spelled at its end, in the order of its instantiations."""
    names = [match["name"] for match in _INSTANTIATION.finditer(unit.source)]
    explicit = [
        instantiation
        for instantiation in unit.instantiations
        if instantiation.arguments
    ]

    if not explicit:
        return (unit.kernel_name,)

    # in front of them may stand instantiations that a project writes itself
    return tuple(names[-len(explicit) :])


def keep_single_instantiation(unit: KernelUnit, entry: int) -> str:
    """Return the unit's source with the explicit instantiations of all its other entries taken
    out.
    """
    names = list_entry_names(unit)
    dropped_names = set(names) - {names[entry]}

    def drop(match: re.Match[str]) -> str:
        return "" if match["name"] in dropped_names else match[0]

    return _INSTANTIATION.sub(drop, unit.source)


def list_kernel_addresses(unit: KernelUnit) -> tuple[str, ...]:
    """Return an expression for the address of each kernel of a unit, in the order of its
    instantiations.
    """
    if any(instantiation.arguments for instantiation in unit.instantiations):
        return tuple(f"&{name}" for name in list_entry_names(unit))
    return (_find_specialisation_address(unit) or f"&{unit.kernel_name}",)


def _find_specialisation_address(unit: KernelUnit) -> str:
    """Return the address of a kernel that is an explicit specialisation; empty for any other."""
    # its arguments are wanted as they are written; in a comment it would name the same kernel
    name = re.escape(unit.kernel_name.rpartition("::")[2])
    head = re.search(
        rf"\btemplate\s*<\s*>[^;{{}}()]*__global__[^;{{}}]*\b{name}\s*"
        r"(?P<arguments><[^;{}()]*>)?\s*(?=\()",
        unit.source,
    )

    if head is None:
        return ""
    if head["arguments"]:
        return f"&{unit.kernel_name}{head['arguments']}"

    # its arguments follow from its parameters, as in a call
    parameters = _read_bracketed(unit.source[head.end() :])

    return f"static_cast<void (*){parameters}>(&{unit.kernel_name})"


def _read_bracketed(text: str) -> str:
    """Return what `text` begins with, to the bracket that closes its first one."""
    tokens = list(tokenize(text))
    closing = closing_token(tokens, 0, pairs=ROUND)
    return join_tokens(tokens[: closing + 1]) if closing >= 0 else text


def bind_dynamic_shared_memory(tokens: Iterable[Token]) -> Iterator[Token]:
    """Return tokens whose dynamic shared memory is bound to what each launch gives."""
    return _replace_dynamic_memory(list(tokens), _bind_to_launch)


def mark_dynamic_shared_memory(source: str) -> str:
    """Return `source` with each declaration of dynamic shared memory in words that a host
    program defines.

    `OPEN_SHARED T OPEN_NAME(name)[] OPEN_END;` is what the compiler of a device, or of a CPU,
    wants there.
    """
    return join_tokens(
        _replace_dynamic_memory(list(tokenize(source)), _mark_with_words)
    )


def _replace_dynamic_memory(
    tokens: list[Token], rewrite: Callable[[list[Token]], Iterator[Token]]
) -> Iterator[Token]:
    """Rewrite each `extern __shared__ T name[]`: host C++ has no word for the memory that a
    launch gives.
    """
    position = 0

    while position < len(tokens):
        token = tokens[position]
        end = position
        if token.text == "extern":
            end = _find_declaration_end(tokens, position)

        if end > position:
            yield from rewrite(tokens[position:end])
            position = end
        else:
            yield token
            position += 1


def _find_declaration_end(tokens: list[Token], begin: int) -> int:
    """Return where the semicolon of a declaration of dynamic shared memory stands; `begin` for
    any other.
    """
    is_shared = False
    limit = min(begin + _MAX_DECLARATION_TOKENS, len(tokens))

    for position in range(begin, limit):
        text = tokens[position].text
        if text == ";":
            return position if is_shared else begin
        if text in "{}":
            return begin

        if text == "__shared__":
            is_shared = True

    return begin


def _find_declared_name(declaration: list[Token]) -> int:
    """Return the position of the last name in front of `[`, -1 where there is none."""
    position = -1

    for number, token in enumerate(declaration):
        if token.text == "[":
            break
        if token.kind is TokenKind.NAME:
            position = number

    return position


def _bind_to_launch(declaration: list[Token]) -> Iterator[Token]:
    """Yield `T (&name)[] = kernelset::Dynamic()`."""
    name_position = _find_declared_name(declaration)

    for position, token in enumerate(declaration):
        if token.text in ("extern", "__shared__"):
            continue

        if position == name_position:
            yield token._replace(text=f"(&{token.text})")
        else:
            yield token

    yield Token(TokenKind.PUNCTUATION, _DYNAMIC_MEMORY, declaration[-1].line)


def _mark_with_words(declaration: list[Token]) -> Iterator[Token]:
    """Yield `OPEN_SHARED T OPEN_NAME(name)[] OPEN_END`."""
    name_position = _find_declared_name(declaration)

    for position, token in enumerate(declaration):
        if token.text == "extern":
            yield token._replace(text="OPEN_SHARED")
        elif token.text == "__shared__":
            continue
        elif position == name_position:
            yield token._replace(text=f"OPEN_NAME({token.text})")
        else:
            yield token

    yield Token(TokenKind.PUNCTUATION, " OPEN_END", declaration[-1].line)
