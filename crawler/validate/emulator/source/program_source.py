"""Host C++ source of the program that a kernel unit becomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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

_INSTANTIATION: Final = re.compile(
    r"^template __global__ decltype\((?P<name>.+)\) (?P=name);$", re.MULTILINE
)
_LONGEST: Final = 64
"""Tokens within which a declaration of dynamic shared memory must end."""


def build_program_source(
    unit: KernelUnit,
    entry: int | None = None,
    *,
    describe: bool = True,
    queries: ConstantQueries | None = None,
) -> str:
    """Return the unit as a program of its kernels; each line of the unit keeps its number.

    With `entry` it holds that one instantiation, under the number that it has among all: the
    others cost time. Unless it
    is `describe`, it cannot tell what structures among its parameters hold. What that
    instantiation is `queries`, it
    answers.
    """
    wanted = [entry is None or number == entry for number in range(len(_entries(unit)))]
    entries = ",\n".join(
        f"  KERNELSET_KERNEL({each})" if kept else "  nullptr"
        for each, kept in zip(_entries(unit), wanted, strict=True)
    )
    silent = "" if describe else "#define KERNELSET_UNDESCRIBED 1\n"
    body = _body(unit, entry)
    if queries and entry is not None:
        body, answers = insert_constant_probes(
            body, queries, unit.kernel_name, list_entry_names(unit)[entry]
        )
        silent += f"#define KERNELSET_CONSTANTS {answers}\n" if answers else ""
    return f"{body}\n{silent}#include <kernelset/cpu/main.h>\nKERNELSET_PROGRAM(\n{entries})\n"


def build_object_source(unit: KernelUnit, entry: int | None = None) -> str:
    """Return the unit, or `entry` one of its instantiations, as a source that holds its kernels
    and no program.
    """
    kept = _entries(unit) if entry is None else [_entries(unit)[entry]]
    return f"{_body(unit, entry)}\nvoid* kernelset_kept[] = {{{', '.join(f'(void*)({each})' for each in kept)}}};\n"


def _body(unit: KernelUnit, only: int | None) -> str:
    source = unit.source if only is None else keep_single_instantiation(unit, only)
    return _on_cpu(source)


@lru_cache(maxsize=2)
def _on_cpu(source: str) -> str:
    """Return a source as C++ that a CPU runs; each of a trial's programs asks for the same, of
    megabytes maybe.
    """
    return join_tokens(
        _with_dynamic_memory(list(tokenize(_served(drop_host_overloads(source)))))
    )


def _served(source: str) -> str:
    """Return the source with its inline assembly in C++, and behind its prelude what that needs."""
    plain = replace_inline_assembly(source)
    if plain == source:
        return source
    prelude = PRELUDE_PATTERN.match(plain)
    end = plain.find("\n", prelude.end()) if prelude else -1
    line = plain.count("\n", 0, end) + 2
    needed = ("ptx", "amd_buffer") if declares_amd_intrinsics(plain) else ("ptx",)
    included = "".join(f"#include <kernelset/cpu/{each}.h>\n" for each in needed)
    return (
        f"{plain[:end]}\n{included}#line {line}\n{plain[end + 1 :]}"
        if end > 0
        else source
    )


def list_entry_names(unit: KernelUnit) -> tuple[str, ...]:
    """Return how the unit's kernels are spelled at its end, in the order of its instantiations."""
    written = [found["name"] for found in _INSTANTIATION.finditer(unit.source)]
    wanted = sum(1 for each in unit.instantiations if each.arguments)
    return tuple(written[-wanted:]) if wanted else (unit.kernel_name,)


def keep_single_instantiation(unit: KernelUnit, entry: int) -> str:
    """Return the unit's source with the explicit instantiations of all its other entries taken
    out.
    """
    kept = list_entry_names(unit)[entry]
    others = set(list_entry_names(unit)) - {kept}
    return _INSTANTIATION.sub(
        lambda found: "" if found["name"] in others else found[0], unit.source
    )


def list_kernel_addresses(unit: KernelUnit) -> tuple[str, ...]:
    """Return an expression for the address of each kernel of a unit, in the order of its
    instantiations.
    """
    return tuple(_entries(unit))


def mark_dynamic_shared_memory(source: str) -> str:
    """Return `source` with each declaration of dynamic shared memory in words that a host
    program defines.

    `OPEN_SHARED T OPEN_NAME(name)[] OPEN_END;` is what the compiler of a device, or of a CPU,
    wants there.
    """
    return join_tokens(_with_dynamic_memory(list(tokenize(source)), _named))


def _entries(unit: KernelUnit) -> list[str]:
    """Return an expression for the address of each kernel."""
    if any(each.arguments for each in unit.instantiations):
        return [f"&{name}" for name in list_entry_names(unit)]
    return [_specialisation(unit) or f"&{unit.kernel_name}"]


def _specialisation(unit: KernelUnit) -> str:
    """Return the address of a kernel that is an explicit specialisation; empty for any other."""
    name = re.escape(unit.kernel_name.rpartition("::")[2])
    head = rf"\btemplate\s*<\s*>[^;{{}}()]*__global__[^;{{}}]*\b{name}\s*(?P<arguments><[^;{{}}()]*>)?\s*(?=\()"
    found = re.search(head, unit.source)
    if found is None:
        return ""
    if found["arguments"]:
        return f"&{unit.kernel_name}{found['arguments']}"
    return f"static_cast<void (*){_bracketed(unit.source[found.end() :])}>(&{unit.kernel_name})"


def _bracketed(text: str) -> str:
    """Return what `text` begins with, to the bracket that closes its first one."""
    pieces = list(tokenize(text))
    closing = closing_token(pieces, 0, pairs=ROUND)
    return join_tokens(pieces[: closing + 1]) if closing >= 0 else text


def _with_dynamic_memory(
    pieces: list[Token], spelled: Callable[[list[Token]], Iterator[Token]] | None = None
) -> Iterator[Token]:
    """Bind each `extern __shared__ T name[]` to the memory that the launch gives: host C++ has
    no word for it.
    """
    at = 0
    while at < len(pieces):
        end = _declaration_end(pieces, at) if pieces[at].text == "extern" else at
        yield from (
            (spelled or _bound)(pieces[at:end]) if end > at else pieces[at : at + 1]
        )
        at = max(end, at + 1)


def _declaration_end(pieces: list[Token], begin: int) -> int:
    """Return where the semicolon of a declaration of dynamic shared memory stands; `begin` for
    any other.
    """
    shared = False
    for at in range(begin, min(begin + _LONGEST, len(pieces))):
        text = pieces[at].text
        if text == ";":
            return at if shared else begin
        if text in "{}":
            return begin
        shared = shared or text == "__shared__"
    return begin


def _bound(pieces: list[Token]) -> Iterator[Token]:
    bracket = next(
        (at for at, piece in enumerate(pieces) if piece.text == "["), len(pieces)
    )
    name = max(
        (at for at in range(bracket) if pieces[at].kind is TokenKind.NAME), default=-1
    )
    for at, piece in enumerate(pieces):
        if piece.text in ("extern", "__shared__"):
            continue
        yield piece._replace(text=f"(&{piece.text})") if at == name else piece
    yield Token(TokenKind.PUNCTUATION, " = kernelset::Dynamic()", pieces[-1].line)


def _named(pieces: list[Token]) -> Iterator[Token]:
    bracket = next(
        (at for at, piece in enumerate(pieces) if piece.text == "["), len(pieces)
    )
    name = max(
        (at for at in range(bracket) if pieces[at].kind is TokenKind.NAME), default=-1
    )
    for at, piece in enumerate(pieces):
        if piece.text == "extern":
            yield piece._replace(text="OPEN_SHARED")
        elif piece.text != "__shared__":
            yield (
                piece._replace(text=f"OPEN_NAME({piece.text})") if at == name else piece
            )
    yield Token(TokenKind.PUNCTUATION, " OPEN_END", pieces[-1].line)
