"""Write out a kernel that a macro makes together with code of the host.

`DEFINE_UNARY(sign, x > 0)` may define a kernel and the function that launches it. Then a unit holds
host code that no one strips, and which names what only the host has. With the macro's use written
out, the kernel stands by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.extract.syntax.macro_expansion import (
    read_macro_definition,
    substitute_arguments,
)
from crawler.model import Closure, Rung

_DEVICE_WORDS: Final = frozenset({"__global__", "__device__"})


class _DefinedMacro(NamedTuple):
    """A macro, and the fragment that defines it."""

    macro: Macro
    source: SourceText


def expand_kernel_macro(closure: Closure) -> Closure | None:
    """Return a closure with its kernel written out, without what its macro makes for the host.

    `None` where no macro makes the kernel.
    """
    *other_fragments, kernel_fragment = closure.fragments
    macros = _index_macros(other_fragments)
    if not macros:
        return None

    expanded = _expand_use(_read_fragment(kernel_fragment), macros)
    if expanded is None:
        return None

    return replace(closure, fragments=(*other_fragments, expanded), rung=Rung.MENDED)


def _read_fragment(fragment: str) -> SourceText:
    return SourceText("", fragment.encode("utf-8", "surrogateescape"))


def _index_macros(fragments: Iterable[str]) -> dict[str, _DefinedMacro]:
    """Return the macros that fragments define by their names."""
    macros: dict[str, _DefinedMacro] = {}
    for fragment in fragments:
        if "#" in fragment:
            source = _read_fragment(fragment)
            macros.update(
                (macro.name, _DefinedMacro(macro, source))
                for macro in find_macros(source)
            )

    return macros


def _expand_use(source: SourceText, macros: Mapping[str, _DefinedMacro]) -> str | None:
    """Return a text with the first use of a macro that makes a kernel written out."""
    lexemes = source.lexemes
    for index, lexeme in enumerate(lexemes[:-1]):
        defined = macros.get(lexeme.text)
        if defined is None or lexeme.directive or lexemes[index + 1].text != "(":
            continue
        if "__global__" not in defined.macro.used_names:
            continue

        closing = source.find_closing_bracket(index + 1)
        if closing < 0:
            continue

        # one character a byte, as the macro's own text
        arguments = [
            _read_fragment(argument).raw
            for argument in split_argument_texts(source, lexemes[index + 2 : closing])
        ]
        definition = read_macro_definition(defined.source, defined.macro)
        written = substitute_arguments(definition, arguments, {})
        device_text = _tidy(_strip_host_functions(written, macros))
        rest = source.raw[lexemes[closing].end :]
        # what ends the use of a macro ends no function
        if device_text.endswith("}"):
            rest = rest.lstrip().removeprefix(";").lstrip(" ")
        expanded = source.raw[: lexeme.offset] + device_text + "\n" + rest.lstrip("\n")
        return expanded.encode("latin-1").decode("utf-8", "surrogateescape")

    return None


def _strip_host_functions(text: str, macros: Mapping[str, _DefinedMacro]) -> str:
    """Return a text without the functions in it that say nothing of a device."""
    source = SourceText("", text.encode("latin-1"))
    device_words = _DEVICE_WORDS | {
        name
        for name, defined in macros.items()
        if not _DEVICE_WORDS.isdisjoint(defined.macro.used_names)
    }

    # not `text`: the chevrons of launches are put together in it
    remaining_text = source.raw
    for function in reversed(find_functions(source)):
        words = source.names_between(function.start, function.body_start)
        if words.isdisjoint(device_words):
            remaining_text = (
                remaining_text[: function.start] + remaining_text[function.end :]
            )

    return remaining_text


def _tidy(text: str) -> str:
    """Return a text without the blanks that stood in front of a macro's spliced lines."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()
