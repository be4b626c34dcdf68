"""Match the instantiations of a unit with the kernel symbols of an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat

from crawler.cpp.demangle import demangle_symbol
from crawler.model import Instantiation, KernelUnit
from crawler.validate.emulator.source.program_source import list_entry_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One kernel of an object; its position is what `Case.entry` counts."""

    label: str
    """Of the instantiation; empty for a plain kernel."""
    symbol: str
    """Mangled name in the object; empty where it is not known which of the object's it is."""


def match_kernel_symbols(unit: KernelUnit, symbols: Iterable[str]) -> tuple[Entry, ...]:
    """Return which of an object's kernels each instantiation is: by its mangled name, its
    written one, or the rest.
    """
    wanted = unit.instantiations or (Instantiation(arguments=(), label=""),)
    left = dict.fromkeys(symbols)
    spelled = {symbol: _spelled(symbol) for symbol in left}
    found: list[str] = []
    for each, name in zip(
        wanted, chain(list_entry_names(unit), repeat("")), strict=False
    ):
        found.append(
            each.symbol
            if each.symbol in left
            else _of_name(_plain(name), left, spelled)
        )
        left.pop(found[-1], None)
    own = [symbol for symbol in left if _is_of(symbol, unit.kernel_name)]
    if len(own) == 1 and found.count("") == 1:
        found[found.index("")] = own[0]
    return tuple(
        Entry(label=each.label, symbol=symbol)
        for each, symbol in zip(wanted, found, strict=True)
    )


def _of_name(name: str, symbols: Iterable[str], spelled: Mapping[str, str]) -> str:
    """Return the one symbol that is spelled so; empty where none or several are."""
    same = [symbol for symbol in symbols if name and spelled[symbol] == name]
    return same[0] if len(same) == 1 else ""


def _is_of(symbol: str, kernel_name: str) -> bool:
    """Tell whether a mangled name is of a kernel, or of an instantiation of it."""
    name = kernel_name.rpartition("::")[2]
    return symbol == name or f"{len(name)}{name}" in symbol


def _spelled(symbol: str) -> str:
    """Return the name and arguments of a mangled name as our units write them."""
    return _plain(_head(demangle_symbol(symbol) or symbol))


def _head(text: str) -> str:
    """Return a demangled function without its result and its parameters."""
    depth, begin = 0, 0
    for at, character in enumerate(text):
        if character == "(" and not depth and not text.startswith("(anonymous", at):
            return text[begin:at]
        depth += (character in "<([{") - (character in ">)]}")
        if character == " " and not depth:
            begin = at + 1
    return text[begin:]


def _plain(name: str) -> str:
    return "".join(name.split()).removeprefix("::")
