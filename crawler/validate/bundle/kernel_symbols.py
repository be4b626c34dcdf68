"""Match the instantiations of a unit with the kernel symbols of an object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Final

from crawler.cpp.demangle import demangle_symbol
from crawler.model import Instantiation, KernelUnit
from crawler.validate.emulator.source.program_source import list_entry_names

# of a demangled name, and of one that a unit writes: `3` as an argument of type `long` is `3l`
_INTEGER_SUFFIX: Final = re.compile(r"(?<=\d)(?:[uU]?[lL]{0,2})(?=[,>])")


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
    plain_kernel = Instantiation(arguments=(), label="")
    instantiations = unit.instantiations or (plain_kernel,)
    unmatched = dict.fromkeys(symbols)
    written_names = {symbol: _written_name(symbol) for symbol in unmatched}
    matches: list[str] = []

    # A unit may name fewer entries than it has instantiations.
    names = chain(list_entry_names(unit), repeat(""))
    for instantiation, name in zip(instantiations, names, strict=False):
        symbol = instantiation.symbol
        if symbol not in unmatched:
            plain_name = _without_blanks(name)
            symbol = _find_by_name(plain_name, unmatched, written_names)

        matches.append(symbol)
        unmatched.pop(symbol, None)

    # One symbol and one instantiation that are left over belong together.
    own_symbols: list[str] = []
    for symbol in unmatched:
        if _belongs_to(symbol, unit.kernel_name):
            own_symbols.append(symbol)

    if len(own_symbols) == 1 and matches.count("") == 1:
        position = matches.index("")
        matches[position] = own_symbols[0]

    entries: list[Entry] = []
    for instantiation, symbol in zip(instantiations, matches, strict=True):
        entry = Entry(label=instantiation.label, symbol=symbol)
        entries.append(entry)

    return tuple(entries)


def _find_by_name(
    name: str, symbols: Iterable[str], written_names: Mapping[str, str]
) -> str:
    """Return the one symbol that is written so; empty where none or several are."""
    if not name:
        return ""

    same = [symbol for symbol in symbols if written_names[symbol] == name]
    return same[0] if len(same) == 1 else ""


def _belongs_to(symbol: str, kernel_name: str) -> bool:
    """Tell whether a mangled name is of a kernel, or of an instantiation of it."""
    name = kernel_name.rpartition("::")[2]
    # the Itanium ABI writes the length before a name: `_Z4blurIfEvPT_`
    return symbol == name or f"{len(name)}{name}" in symbol


def _written_name(symbol: str) -> str:
    """Return the name and arguments of a mangled name as our units write them."""
    demangled = demangle_symbol(symbol) or symbol
    return _without_blanks(_without_result_and_parameters(demangled))


def _without_result_and_parameters(function: str) -> str:
    """Return `blur<float>` of the demangled `void blur<float>(float*)`."""
    depth = 0
    start = 0

    for position, character in enumerate(function):
        opens_parameters = character == "(" and not depth
        if opens_parameters and not function.startswith("(anonymous", position):
            return function[start:position]

        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth -= 1

        if character == " " and not depth:
            start = position + 1

    return function[start:]


def _without_blanks(name: str) -> str:
    plain_name = "".join(name.split()).removeprefix("::")
    return _INTEGER_SUFFIX.sub("", plain_name)
