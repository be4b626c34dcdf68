"""Infer arguments of kernels launched only in discarded `if constexpr` branches.

`if constexpr (kVersion == Version::v4) first<Tile>…; else second<Tile>…;`: where only `second`
is instantiated, `first`
takes the same types, with `Version::v4` in them in place of another enumerator.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.cpp.token_brackets import split_argument_texts
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.extract.launches.kernel_use import KernelUse, SourcePlace
from crawler.extract.syntax.constexpr_branches import find_branch_conditions
from crawler.extract.templates.instantiations import is_universal_argument
from crawler.extract.templates.kernel_facts import KernelKey
from crawler.model import Instantiation, KernelFacts

_MOST_SITES: Final = 8
_LONGEST: Final = 400
_ENUMERATOR: Final = re.compile(r"(?:\w+::)*([A-Za-z_]\w*)::([A-Za-z_]\w*)")


def find_uninstantiated_sites(
    kernel_uses: Iterable[KernelUse],
) -> Mapping[KernelKey, Sequence[SourcePlace]]:
    """Return where each kernel is named in templates that are not instantiated there."""
    found: dict[KernelKey, dict[SourcePlace, None]] = defaultdict(dict)
    for use in kernel_uses:
        if use.path and not use.template_arguments:
            found[(*use.target, use.kernel)][(use.path, use.offset)] = None
    return {key: tuple(places) for key, places in found.items()}


def infer_discarded_branch_arguments(
    kernel: KernelFacts,
    borrowed: Sequence[Instantiation],
    naming_sites: Iterable[SourcePlace],
    sources: SourceFiles,
) -> tuple[Instantiation, ...]:
    """Return one of what was taken over from other kernels as a branch that names the kernel
    would have it.

    Nothing, where no branch asks for anything that this does not have.
    """
    for one in borrowed[:1]:
        for path, offset in islice(naming_sites, _MOST_SITES):
            arguments = _given(kernel, one.arguments, path, offset, sources)
            if arguments != one.arguments:
                return (
                    replace(
                        one, arguments=arguments, label=make_argument_label(arguments)
                    ),
                )
    return ()


def _given(
    kernel: KernelFacts,
    arguments: tuple[str, ...],
    path: str,
    offset: int,
    sources: SourceFiles,
) -> tuple[str, ...]:
    """Return arguments with the enumerators that conditions round a place ask for, and the
    values written there.
    """
    source = sources[path]
    wanted = [
        found
        for ways in find_branch_conditions(source, offset)
        for value in ways[0].values()
        if (found := _enumerator(value))
    ]
    if not wanted or len(arguments) != len(kernel.template_parameters):
        return arguments
    written = _written(source, offset)
    written = (*written, *arguments[len(written) :])[: len(arguments)]
    given: list[str] = []
    for parameter, text, here in zip(
        kernel.template_parameters, arguments, written, strict=True
    ):
        is_value = parameter.kind == "value"
        own = [*wanted, *filter(None, [_enumerator(here)])] if is_value else wanted
        given.append(
            here if is_universal_argument(here) else _with(text, own, alone=is_value)
        )
    return tuple(given)


def _enumerator(written: str) -> tuple[str, str] | None:
    found = _ENUMERATOR.fullmatch(written)
    return (found[1], found[2]) if found else None


def _with(text: str, wanted: Iterable[tuple[str, str]], *, alone: bool) -> str:
    """Return a text with other values of enumerations; `alone` where the text may be one such
    value itself.
    """
    for enumeration, name in wanted:
        scoped = rf"(?<![\w:])(?:\w+::)*{re.escape(enumeration)}"
        text = re.sub(rf"static_cast<({scoped})>\(-?\d+\)", rf"\1::{name}", text)
        text = (
            re.sub(rf"({scoped})::\w+", rf"\1::{name}", text)
            if alone and _enumerator(text)
            else text
        )
    return text


def _written(source: SourceText, offset: int) -> tuple[str, ...]:
    """Return the template arguments behind the name that stands at a place."""
    first = source.lexeme_index(offset) + 1
    depth = 0
    for at in range(first, min(first + _LONGEST, len(source.lexemes))):
        depth += {"<": 1, ">": -1}.get(source.lexemes[at].text, 0)
        if not depth:
            return split_argument_texts(source, source.lexemes[first + 1 : at])
    return ()
